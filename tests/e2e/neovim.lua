-- Drives a real Neovim through an author's minute and writes what it saw as JSON to the file in EVIDENCEDESK_SEEN.
local root, python = vim.env.EVIDENCEDESK_ROOT, vim.env.EVIDENCEDESK_PYTHON
vim.lsp.config.evidencedesk = {
  cmd = { python, "-P", "-m", "evidencedesk_server" },
  filetypes = { "markdown", "json" },
  root_markers = { "evidencedesk.toml" },
}
vim.lsp.enable("evidencedesk")

local function problems()
  local seen = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    local text = vim.api.nvim_buf_get_text(0, one.lnum, one.col, one.end_lnum, one.end_col, {})[1]
    table.insert(seen, { code = one.code, line = one.lnum + 1, text = text })
  end
  return seen
end

local function has(code)
  for _, one in ipairs(problems()) do
    if one.code == code then
      return true
    end
  end
  return false
end

local function wait_for(code, there)
  return vim.wait(30000, function() return has(code) == there end, 50)
end

local seen = {}
vim.cmd.edit(root .. "/guide.md")
seen.opened = wait_for("ED301", true)
seen.first = problems()
vim.api.nvim_win_set_cursor(0, { 5, 8 })
local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(0, "utf-8"), 10000)
for _, answer in pairs(answers or {}) do
  seen.hover = answer.result and answer.result.contents.value
end
vim.cmd([[5s/within 30 days/within 14 days/]])
seen.broken = wait_for("ED705", true)
seen.second = problems()
vim.cmd.undo()
seen.mended = wait_for("ED705", false)
vim.cmd.write()
local file = assert(io.open(vim.env.EVIDENCEDESK_SEEN, "w"))
file:write(vim.json.encode(seen))
file:close()
vim.cmd("qall!")
