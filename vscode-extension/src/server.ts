/** Starts, stops and restarts the language server; says in plain words why a start failed. */

import * as vscode from "vscode";
import { ExecuteCommandRequest, LanguageClient, type LanguageClientOptions, type ServerOptions, State } from "vscode-languageclient/node";
import { findInterpreter, missing } from "./interpreter";

/** The files a knowledge base is made of; the server decides which of them count. */
const DOCUMENTS = ["**/*.md", "**/*.markdown", "**/*.mdx", "**/*.json", "**/*.jsonl", "**/evidencedesk.toml", "**/pyproject.toml"];

/** Scratch files of questions; unsaved ones too. */
const QUERIES = "evidencedesk-queries";

export class Server {
  private client: LanguageClient | undefined;
  /** Starts and stops run one after the other, so that a quick second restart cannot leave two servers behind. */
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly log: vscode.LogOutputChannel) {}

  start(): Promise<void> {
    return this.enqueue(() => this.launch());
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.end());
  }

  restart(): Promise<void> {
    return this.enqueue(async () => {
      await this.end();
      await this.launch();
    });
  }

  /** Runs a command of the server. The server shows what comes of it; what it refuses is said here. */
  async execute(command: string, parameters: unknown[]): Promise<void> {
    if (this.client?.state !== State.Running) {
      this.failed("The server is not running.");
      return;
    }
    try {
      await this.client.sendRequest(ExecuteCommandRequest.type, { command, arguments: parameters });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      void vscode.window.showWarningMessage(`EvidenceDesk: ${reason}`);
    }
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step).catch((error: unknown) => this.failed(String(error)));
    return this.queue;
  }

  private async launch(): Promise<void> {
    const found = await findInterpreter(this.log);
    if ("problem" in found) {
      this.failed(found.problem);
      return;
    }
    this.log.info(`Starting the server with ${found.python}`);
    // -P: without it a folder of the workspace that is named like a module would run instead of that module.
    const serverOptions: ServerOptions = { command: found.python, args: ["-P", "-m", "evidencedesk_server"] };
    const clientOptions: LanguageClientOptions = {
      documentSelector: [...DOCUMENTS.map((pattern) => ({ scheme: "file", pattern })), { language: QUERIES }],
      outputChannel: this.log,
      initializationOptions: { settings: vscode.workspace.getConfiguration("evidencedesk") },
      synchronize: { configurationSection: "evidencedesk" },
    };
    const client = new LanguageClient("evidencedesk", "EvidenceDesk", serverOptions, clientOptions);
    this.client = client;
    try {
      await client.start();
    } catch (error) {
      this.failed(`The server did not start: ${String(error)}`);
    }
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    // stop() rejects for a client that never came up; there is nothing to stop then.
    if (client && client.state === State.Running) {
      await client.stop();
    }
  }

  private failed(problem: string): void {
    this.log.error(problem);
    void vscode.window.showErrorMessage(`EvidenceDesk: ${problem}`, "Show Log", "Open Settings").then((choice) => {
      if (choice === "Show Log") {
        this.log.show();
      } else if (choice === "Open Settings") {
        void vscode.commands.executeCommand("workbench.action.openSettings", missing.setting);
      }
    });
  }
}
