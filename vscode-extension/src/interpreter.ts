/** Finds a Python that has the server installed. Runs no interpreter that an untrusted workspace names. */

import { execFile } from "node:child_process";
import { promisify } from "node:util";
import * as vscode from "vscode";

const run = promisify(execFile);

export const missing = { setting: "evidencedesk.interpreter" };

/** Prints the version of the installed server; fails when Python is too old or the package is missing. */
const PROBE = "import sys; assert sys.version_info >= (3, 11), 'old'; import evidencedesk_server";

export type Found = { python: string } | { problem: string };

/** The first of the candidates that can run the server, or a sentence that says what to install. */
export async function findInterpreter(log: vscode.LogOutputChannel): Promise<Found> {
  const configured = vscode.workspace.getConfiguration("evidencedesk").get<string>("interpreter", "").trim();
  const candidates = configured ? [configured] : [...(await pythonExtension()), "python3", "python"];
  let seen = "";
  for (const python of candidates) {
    const outcome = await probe(python);
    log.debug(`${python}: ${outcome}`);
    if (outcome === "ready") {
      return { python };
    }
    if (outcome !== "absent") {
      seen ||= `${python} ${outcome === "old" ? "is older than 3.11" : "does not have it"}`;
    }
  }
  if (configured) {
    return { problem: `The Python set in ${missing.setting} (${configured}) cannot run the server. Install it there: ${configured} -m pip install evidencedesk` };
  }
  return {
    problem: seen
      ? `The evidencedesk package is needed (${seen}). With Python 3.11 or newer, run: pip install evidencedesk. Then restart the server, or set ${missing.setting}.`
      : `No Python was found. Install Python 3.11 or newer, run: pip install evidencedesk. Then restart the server, or set ${missing.setting}.`,
  };
}

async function probe(python: string): Promise<"ready" | "absent" | "old" | "without"> {
  try {
    await run(python, ["-P", "-c", PROBE], { timeout: 20_000 });
    return "ready";
  } catch (error) {
    const failure = error as { code?: string | number; stderr?: string };
    if (failure.code === "ENOENT" || failure.code === "EACCES") {
      return "absent";
    }
    // Pythons before 3.11 do not know -P and say so on standard error.
    return /AssertionError: old|[Uu]nknown option/.test(failure.stderr ?? "") ? "old" : "without";
  }
}

/** The interpreter chosen in the Python extension, when that is installed and the workspace is trusted. */
async function pythonExtension(): Promise<string[]> {
  const extension = vscode.extensions.getExtension("ms-python.python");
  if (!extension || !vscode.workspace.isTrusted) {
    return [];
  }
  type Environments = { environments?: { getActiveEnvironmentPath(resource?: vscode.Uri): { path: string } } };
  const api = (await extension.activate()) as Environments | undefined;
  const path = api?.environments?.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri).path;
  return path ? [path] : [];
}
