/** Activation only: wires the commands to one server. */

import * as vscode from "vscode";
import { registerCommands } from "./commands";
import { Server } from "./server";

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("EvidenceDesk", { log: true });
  const running = new Server(log);
  server = running;
  context.subscriptions.push(
    log,
    ...registerCommands(running),
    vscode.commands.registerCommand("evidencedesk.restart", () => running.restart()),
    vscode.commands.registerCommand("evidencedesk.showLog", () => log.show()),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      if (change.affectsConfiguration("evidencedesk.interpreter")) {
        await running.restart();
      }
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => running.restart()),
  );
  await running.start();
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
