import * as Fs from "node:fs"
import * as Path from "node:path"

/**
 * Makes a directory and those above it. Node's own way to do so never ends where the system says of a directory that is there
 * that it is not, as /proc does.
 */
export const makeDirectory = (path: string, mode: number): void => {
  const missing: Array<string> = []
  for (let at = Path.resolve(path); !Fs.existsSync(at); at = Path.dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      Fs.mkdirSync(directory, { mode })
    } catch (cause) {
      // Another process may have been faster.
      if (!Fs.existsSync(directory)) throw cause
    }
  }
  if (!Fs.statSync(path).isDirectory()) throw new Error(`${path} is not a directory`)
}
