import * as Fs from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import type { TestProject } from "vitest/node"

const root = Path.resolve(import.meta.dirname, "../../..")
const folder = Path.join(root, "node_modules/.cache/programs")

// The programs that tests start as processes, and the threads that these start.
const programs = [
  "src/main.ts",
  "src/cli/operator/folio.js",
  "src/documents/print/PrintWorker.ts",
  "src/documents/signature/Pkcs12Worker.ts",
  "test/soak/serviceMain.ts",
  "test/support/processes/faultyMain.ts",
  "test/support/processes/meteredMain.ts"
]

/** The name of a program without the part after its first dot. */
const stem = (file: string) => file.replace(/\.[jt]s$/, "")

/**
 * A module's own location: next to its thread if it starts one, else its source folder, next to the files that it
 * reads.
 */
const placeOf = (code: string, id: string) =>
  /\bnew Worker\(/.test(code) ? Path.join(folder, `${stem(Path.relative(root, id))}.js`) : id

const ownPlace = {
  name: "own place",
  transform: {
    filter: { code: /import\.meta\.(?:dir|file|url)/ },
    handler: (code: string, id: string) => {
      const place = placeOf(code, id)
      return code
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(place).href))
        .replaceAll("import.meta.filename", JSON.stringify(place))
        .replaceAll("import.meta.dirname", JSON.stringify(Path.dirname(place)))
    }
  }
}

const pack = async () => {
  const modules = await rolldown({
    input: Object.fromEntries(programs.map((file) => [stem(file), Path.join(root, file)])),
    platform: "node",
    // Small modules that are loaded once stay external.
    external: (id) => /^[^./]/.test(id) && !/^(?:effect|@effect|@oxc-project)\b/.test(id),
    transform: { target: "esnext" },
    plugins: [ownPlace]
  })
  const { output } = await modules.generate({ format: "esm", chunkFileNames: "chunks/[name]-[hash].js" })
  await modules.close()
  for (const part of output) {
    const file = Path.join(folder, part.fileName)
    const unfinished = `${file}.${process.pid}`
    Fs.mkdirSync(Path.dirname(file), { recursive: true })
    Fs.writeFileSync(unfinished, part.type === "chunk" ? part.code : part.source)
    // In one step, because the tests of another run may start the program at the same time.
    Fs.renameSync(unfinished, file)
  }
}

/** Whether a file of this run uses PostgreSQL, or belongs to the slow tests, most of which start programs. */
export const needsDatabase = ({ vitest }: TestProject) =>
  vitest.state.getPaths().some((file) => /\.(?:pg|full)\.test\.ts$/.test(file))

/**
 * Vitest's global set-up: packs each program that tests start into a file without our imports. Loading the sources
 * takes as long as the rest of a service's start.
 */
export default async (project: TestProject) => {
  if (!needsDatabase(project)) return
  await pack()
  process.env["FOLIO_TEST_PROGRAMS"] = folder
}
