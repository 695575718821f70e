import { execFileSync, spawn, spawnSync } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { execForm, parse } from "./Dockerfile.ts"

const checkout = Path.resolve(import.meta.dirname, "../../..")

/** User of the image's processes: an unprivileged user if the tests run as root, which can switch to it. */
const unprivileged: { readonly uid?: number; readonly gid?: number } =
  process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

const pairs = (text: string): ReadonlyArray<readonly [string, string]> =>
  [...text.matchAll(/([A-Za-z_.]+)=(?:"([^"]*)"|(\S+))/g)].map(([, name = "", quoted, bare]) => [
    name,
    quoted ?? bare ?? ""
  ])

/**
 * Runs the steps of a Dockerfile in an empty folder, without a container engine: each stage is a folder, absolute paths
 * are below it, and the sources are read-only at the end. With `install` it installs the packages; otherwise it links
 * the repository's. Returns the command and the health check of the image, with their environment and user.
 */
export const buildInFolder = (file: string, folder: string, install: boolean) => {
  const { before, stages } = parse(Fs.readFileSync(file, "utf8"))
  const bin = Path.dirname(process.execPath)
  const roots = new Map<string, string>()
  let last = { root: folder, cwd: folder, environment: {} as Record<string, string>, user: "root" }
  let [command, check]: [ReadonlyArray<string>, ReadonlyArray<string>] = [[], []]
  for (const [index, stage] of stages.entries()) {
    const root = Path.join(folder, `stage-${index}`)
    Fs.mkdirSync(root, { recursive: true })
    Fs.chmodSync(root, 0o755)
    if (stage.name !== undefined) roots.set(stage.name, root)
    const environment: Record<string, string> = { PATH: `${bin}:${process.env["PATH"] ?? ""}` }
    const here = { root, cwd: root, environment, user: "root" }
    const at = (path: string) => (Path.isAbsolute(path) ? Path.join(root, path) : Path.join(here.cwd, path))
    const args: Record<string, string> = {}
    for (const { name, text, flags } of stage.instructions) {
      if (name === "ARG") for (const [key, value] of pairs(text)) args[key] = value
      if (name === "ENV") for (const [key, value] of pairs(text)) environment[key] = value
      if (name === "USER") here.user = text
      if (name === "WORKDIR") Fs.mkdirSync((here.cwd = at(text)), { recursive: true })
      if (name === "CMD") command = execForm(text) ?? []
      if (name === "HEALTHCHECK") check = execForm(text.replace(/^.*?CMD\s+/, "")) ?? []
      if (name === "COPY") {
        const words = text.split(/\s+/)
        const to = at(words.at(-1) ?? ".")
        for (const from of words.slice(0, -1)) {
          const source = flags["from"] === undefined ? checkout : (roots.get(flags["from"]) ?? "")
          const path = Path.join(source, from)
          if (!install && from.endsWith("node_modules")) Fs.symlinkSync(Path.join(checkout, "node_modules"), to)
          else
            Fs.cpSync(path, text.endsWith("/") ? Path.join(to, Path.basename(from)) : to, {
              recursive: true,
              verbatimSymlinks: true
            })
        }
      }
      if (name === "RUN" && (install || !text.startsWith("npm "))) {
        // Absolute paths of the image are below its folder. Only root can give files to the image's user.
        const script = text
          .replaceAll(/ \/(data|app)\b/g, ` ${root}/$1`)
          .replaceAll(
            /chown node:node/g,
            unprivileged.uid === undefined ? "true" : `chown ${unprivileged.uid}:${unprivileged.gid}`
          )
        // The installation reaches the registry in the same way as this machine.
        const env = { ...process.env, ...environment, ...args }
        execFileSync("sh", ["-ec", script], { cwd: here.cwd, env, stdio: "inherit" })
      }
    }
    last = here
  }
  const environment = {
    ...last.environment,
    DATA_DIR: Path.join(last.root, last.environment["DATA_DIR"] ?? "")
  }
  execFileSync("chmod", ["-R", "a-w,a+rX", last.cwd])
  const options = (more: Readonly<Record<string, string>>) => ({
    ...unprivileged,
    cwd: last.cwd,
    env: { ...environment, ...more, HOME: "/nonexistent" }
  })
  const [program = "", ...words] = command
  const [checking = "", ...checkWords] = check
  return {
    root: last.root,
    user: last.user,
    before,
    /** Runs the command of the image as its user. */
    start: (more: Readonly<Record<string, string>>) =>
      spawn(program, words, { ...options(more), stdio: ["ignore", "pipe", "pipe"] }),
    /** Runs the health check of the image; returns its exit code. */
    check: (more: Readonly<Record<string, string>>) => spawnSync(checking, checkWords, options(more)).status
  }
}
