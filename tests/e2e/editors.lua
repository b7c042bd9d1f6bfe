-- Drives a real Neovim, 0.7 or newer, through an author's minute; writes what it saw as JSON to $EVIDENCEDESK_SEEN.
local root, python = vim.env.EVIDENCEDESK_ROOT, vim.env.EVIDENCEDESK_PYTHON
local seen = {}

local function attach(buffer)
  local config = {
    name = "evidencedesk",
    cmd = { python, "-P", "-m", "evidencedesk_server" },
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = "kb" } },
  }
  if vim.lsp.start then
    return vim.lsp.start(config, { bufnr = buffer })
  end
  local client = seen.client or vim.lsp.start_client(config)
  vim.lsp.buf_attach_client(buffer, client)
  return client
end

local function open(name)
  vim.cmd("edit " .. root .. "/" .. name)
  seen.client = attach(vim.api.nvim_get_current_buf())
end

local function problems()
  local found = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    local line = vim.api.nvim_buf_get_lines(0, one.lnum, one.lnum + 1, false)[1]
    local code = one.code or (one.user_data and one.user_data.lsp and one.user_data.lsp.code)
    table.insert(found, { code = code, line = one.lnum + 1, text = line:sub(one.col + 1, one.end_col) })
  end
  return found
end

local function wait_for(code, there)
  return vim.wait(30000, function()
    for _, one in ipairs(problems()) do
      if one.code == code then
        return there
      end
    end
    return not there
  end, 50)
end

local function encoding()
  return vim.lsp.get_client_by_id(seen.client).offset_encoding
end

local function request(method, params)
  local answers = vim.lsp.buf_request_sync(0, method, params, 20000)
  local _, answer = next(answers or {})
  return answer and answer.result
end

local function here()
  return vim.fn.has("nvim-0.11") == 1 and vim.lsp.util.make_position_params(0, encoding())
    or vim.lsp.util.make_position_params()
end

local function apply(edit)
  vim.lsp.util.apply_workspace_edit(edit, encoding())
end

local function text_of(name)
  return table.concat(vim.api.nvim_buf_get_lines(vim.fn.bufnr(root .. "/" .. name), 0, -1, false), "\n")
end

local ok, failure = pcall(function()
  open("guide.md")
  assert(wait_for("ED301", true), "nothing is reported")
  seen.first = problems()

  vim.api.nvim_win_set_cursor(0, { 5, 10 })
  seen.hover = request("textDocument/hover", here()).contents.value

  local document = { uri = vim.uri_from_bufnr(0) }
  seen.lenses = {}
  for _, lens in ipairs(request("textDocument/codeLens", { textDocument = document })) do
    lens = lens.command and lens or request("codeLens/resolve", lens)
    table.insert(seen.lenses, lens.command.title)
  end

  vim.cmd([[5s/within 30 days/within 14 days/]])
  assert(wait_for("ED705", true), "the broken evidence is not reported")
  seen.broken = problems()
  vim.cmd("silent write")

  open("labels.json")
  assert(wait_for("ED705", true), "the label has no problem")
  local range = { start = { line = 0, character = 0 }, ["end"] = { line = 20, character = 0 } }
  local actions = request("textDocument/codeAction", {
    textDocument = { uri = vim.uri_from_bufnr(0) },
    range = range,
    context = { diagnostics = {} },
  })
  seen.actions = {}
  for _, action in ipairs(actions) do
    table.insert(seen.actions, action.title)
    if action.title:find("the evidence", 1, true) and not seen.applied then
      action = action.edit and action or request("codeAction/resolve", action)
      seen.applied = action.title
      apply(action.edit)
    end
  end
  assert(wait_for("ED705", false), "the fix cleared nothing")
  vim.cmd("silent write")
  seen.labels_after_fix = text_of("labels.json")

  vim.cmd("buffer guide.md")
  vim.api.nvim_win_set_cursor(0, { 3, 4 })
  local rename = here()
  rename.newName = "Sending back 🚲"
  apply(request("textDocument/rename", rename))
  seen.guide_after_rename = text_of("guide.md")
  seen.labels_after_rename = text_of("labels.json")
  vim.cmd("silent wall")

  local file = assert(io.open(root .. "/decoys.md", "w"))
  file:write("# Tandems\n")
  file:close()
  seen.external_change = wait_for("ED301", false)
end)
if not ok then
  seen.failure = tostring(failure)
  seen.last = problems()
end
seen.version = vim.version().major .. "." .. vim.version().minor
seen.encoding = encoding()
local file = assert(io.open(vim.env.EVIDENCEDESK_SEEN, "w"))
file:write(vim.json and vim.json.encode(seen) or vim.fn.json_encode(seen))
file:close()
vim.cmd("qall!")
