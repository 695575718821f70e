import { run, start } from "./Run.ts"

/** Runs what the words of the command line name until the process ends: the service if there are none. */
export const launch = async (words: ReadonlyArray<string>) => {
  // Dynamic imports, so that each program loads only the modules that it needs: the service starts without the shell commands.
  if (words.length === 0 || (words.length === 1 && words[0] === "serve")) {
    start(run((await import("./Service.ts")).serve))
  } else {
    start(run((await import("./Folio.ts")).folio(words)))
  }
}
