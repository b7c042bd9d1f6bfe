/** What the palette and the menus offer; each asks the server, which shows the result itself. */

import * as vscode from "vscode";
import type { Server } from "./server";

/** The server's commands by their names there; the client registers these as they are, so ours have other names. */
const SEARCH = "evidencedesk.search";
const NEW_LABEL = "evidencedesk.newLabel";
const QUERIES = "evidencedesk-queries";
const LONGEST_QUESTION = 500;

export function registerCommands(server: Server): vscode.Disposable[] {
  return [
    vscode.commands.registerCommand("evidencedesk.searchQuestion", () => askAndSearch(server)),
    vscode.commands.registerCommand("evidencedesk.searchSelection", () => searchSelection(server)),
    vscode.commands.registerCommand("evidencedesk.labelSelection", () => labelSelection(server)),
    vscode.commands.registerCommand("evidencedesk.newQueries", newQueries),
  ];
}

async function askAndSearch(server: Server): Promise<void> {
  const question = await vscode.window.showInputBox({
    title: "Search the knowledge base",
    prompt: "A question, as a reader would ask it",
    value: selectedText(),
    ignoreFocusOut: true,
  });
  await search(server, question);
}

async function searchSelection(server: Server): Promise<void> {
  const selected = selectedText();
  await (selected ? search(server, selected) : askAndSearch(server));
}

async function search(server: Server, question: string | undefined): Promise<void> {
  if (question?.trim()) {
    const active = vscode.window.activeTextEditor?.document.uri.toString();
    await server.execute(SEARCH, [question, ...(active ? [active] : [])]);
  }
}

async function labelSelection(server: Server): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || editor.selection.isEmpty) {
    void vscode.window.showInformationMessage("Select the words that answer the question first: they become the label's evidence.");
    return;
  }
  const { start, end } = editor.selection;
  const range = {
    start: { line: start.line, character: start.character },
    end: { line: end.line, character: end.character },
  };
  await server.execute(NEW_LABEL, [editor.document.uri.toString(), range]);
}

async function newQueries(): Promise<void> {
  const content = "# One question a line: hover for its ranking, go to definition for what it finds.\n";
  const document = await vscode.workspace.openTextDocument({ language: QUERIES, content });
  await vscode.window.showTextDocument(document);
}

/** What is selected in the active editor, on one line. */
function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  const selected = editor ? editor.document.getText(editor.selection) : "";
  return selected.replace(/\s+/g, " ").trim().slice(0, LONGEST_QUESTION);
}
