import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { execFile, execFileSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"

/* Runs the commands of documentation pages as a reader would type them. */

const root = Path.resolve(import.meta.dirname, "../..")

/** All commands that a reader of the pages types into one terminal, in order. */
const scriptOf = (pages: ReadonlyArray<string>) =>
  [
    ...pages
      .map((page) => Fs.readFileSync(Path.join(root, page), "utf8"))
      .join("\n")
      .matchAll(/^```\w*\n(.*?)^```$/gmsu)
  ]
    .map(([, block = ""]) => block)
    .filter((block) => /\bcurl\b|^HOOK=|^export /mu.test(block))
    .join("\n")

/** The status that the pages promise for each command. */
const promisesOf = (script: string) =>
  [...script.matchAll(/^# (\d{3}): (.*)$/gmu)].map(([, status, what]) => ({ status, what }))

// Also requires bash. A curl configuration file can set the method of a request since 7.72, and its URL since 7.75.
export const curlIsThere = (() => {
  try {
    const [, major = 0, minor = 0] = (
      /^curl (\d+)\.(\d+)/u.exec(execFileSync("bash", ["--norc", "-c", "curl --version"], { encoding: "utf8" })) ?? []
    ).map(Number)
    return major > 7 || minor >= 75
  } catch {
    return false
  }
})()

/** The script with other settings: the settings are the only lines that are not run unchanged. */
const withSettings = (script: string, settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).reduce((text, [name, value]) => {
    const line = new RegExp(`^((?:export )?${name}=).*$`, "gmu")
    assert.isAtMost([...text.matchAll(line)].length, 1, `the pages set ${name} once`)
    return text.replace(line, (_, begin: string) => begin + value)
  }, script)

/** A reader's PATH: it starts with an old Node if npm has one for this machine. */
export const pathOfReader = () => {
  const old = Path.join(root, `node_modules/node20-${process.platform}-${process.arch}/bin`)
  return [...(Fs.existsSync(old) ? [old] : []), Path.dirname(process.execPath), process.env["PATH"]].join(":")
}

const shell = (text: string, cwd: string) =>
  Effect.callback<{ readonly code: number; readonly stderr: string; readonly stdout: string }>((resume) => {
    const env = { PATH: pathOfReader(), HOME: cwd, CURL_HOME: cwd, LANG: "C.UTF-8" }
    const child = execFile(
      "bash",
      ["--norc", "-eu", "-c", text],
      { cwd, env, maxBuffer: 1 << 24 },
      (error, stdout, stderr) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code), stdout, stderr }))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** Makes curl record the status of each response, in the folder of the commands. */
export const noteAnswers = (folder: string) =>
  Fs.writeFileSync(Path.join(folder, ".curlrc"), 'silent\nwrite-out = "%{stderr}%{http_code} %{method} %{url}\\n"\n')

/** Runs the commands of pages in one terminal, and checks that each gets the status on the page. */
export const tryCommands = Effect.fnUntraced(function* (
  pages: ReadonlyArray<string>,
  settings: Readonly<Record<string, string>>,
  folder: string
) {
  const script = scriptOf(pages)
  const promises = promisesOf(script)
  const { code, stderr, stdout } = yield* shell(withSettings(script, settings), folder)
  const answers = [...stderr.matchAll(/^(\d{3}) ([A-Z]+) (http.*)$/gmu)].map(([, ...words]) => words)
  assert.deepStrictEqual(
    answers.map(([status, method, url], index) => `${status}: ${promises[index]?.what} (${method} ${url})`),
    answers.map(([, method, url], index) => `${promises[index]?.status}: ${promises[index]?.what} (${method} ${url})`),
    `${stdout}\n${stderr}`
  )
  assert.deepStrictEqual([answers.length, code], [promises.length, 0], `${pages.join()}: ${stderr}`)
  assert.isAbove(promises.length, 2, pages.join())
  return { stdout, requests: answers.map(([, method = "", url = ""]) => ({ method, path: new URL(url).pathname })) }
})
