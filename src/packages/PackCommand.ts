import * as Fs from "node:fs"
import * as Path from "node:path"
import { rolldown } from "rolldown"

const root = Path.join(import.meta.dirname, "../..")

/** Packs the folio command of the client's package and its dependencies into one file, and adds their licenses. */
export const packCommand = async (folder: string, commit: string | undefined) => {
  const manifest = Path.join(root, "package.json")
  const modules = await rolldown({
    input: Path.join(root, "src/cli/user/folio.ts"),
    platform: "node",
    plugins: [
      {
        name: "commit",
        load: (id) => {
          if (id !== manifest) return null
          const { version } = JSON.parse(Fs.readFileSync(manifest, "utf8"))
          return { code: JSON.stringify({ version, commit }), moduleType: "json" }
        }
      }
    ]
  })
  const file = Path.join(folder, "folio.js")
  const packed = await modules.write({ file, format: "esm", minify: true, codeSplitting: false })
  await modules.close()
  const names = packed.output.flatMap((part) =>
    part.type === "chunk"
      ? part.moduleIds.flatMap((id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [])
      : []
  )
  for (const name of new Set(names)) {
    const license = Path.join(root, "node_modules", name, "LICENSE")
    Fs.cpSync(license, Path.join(folder, "licenses", `${name.replace("/", "-")}.txt`))
  }
  return file
}
