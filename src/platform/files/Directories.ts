import { Result } from "effect"
import * as Fs from "node:fs"
import * as Path from "node:path"

/** Creates a directory and its parents. Node's recursive `mkdir` never ends where an existing one counts as missing (/proc). */
export const makeDirectory = (path: string, mode: number): void => {
  const missing: Array<string> = []
  for (let at = Path.resolve(path); !Fs.existsSync(at); at = Path.dirname(at)) missing.unshift(at)
  for (const directory of missing) {
    try {
      Fs.mkdirSync(directory, { mode })
    } catch (cause) {
      // Another process may have created the directory first.
      if (!Fs.existsSync(directory)) throw cause
    }
  }
  if (!Fs.statSync(path).isDirectory()) throw new Error(`${path} is not a directory`)
}

// What a new file system holds.
const ofFileSystem = "lost+found"

/** Whether nothing was ever made in a directory: there is none, or it is empty. */
export const isUntouched = (path: string): boolean => {
  if (!Fs.existsSync(path)) return true
  const names = Result.try(() => Fs.readdirSync(path))
  return Result.isSuccess(names) && names.success.every((name) => name === ofFileSystem)
}
