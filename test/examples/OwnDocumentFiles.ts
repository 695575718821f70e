/*
 * The service that archives each PDF and XML when it is first asked for, and serves it from the archive from then on:
 *
 *   ARCHIVE=/var/lib/folio/archive node OwnDocumentFiles.ts
 */
import { main } from "@folio-einvoicing/service"
import { type DocumentFile, DocumentFiles } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** The content of the file, or undefined when there is no file. */
const read = async (path: string) => {
  try {
    return new Uint8Array(await Fs.readFile(path))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/** Writes the file under another name, flushes and renames it: a reader, or a start after a crash, sees a whole file or none. */
const write = async (path: string, content: Uint8Array) => {
  const unfinished = `${path}.${process.pid}.${performance.now()}`
  await Fs.mkdir(Path.dirname(path), { recursive: true })
  await Fs.writeFile(unfinished, content, { flush: true })
  await Fs.rename(unfinished, path)
}

const documentFiles = Layer.effect(
  DocumentFiles,
  Effect.gen(function* () {
    const archive = yield* Config.String("ARCHIVE")
    const ours = yield* DocumentFiles

    // The tag stands for the content: a document that is signed anew, or printed by another release, has another tag.
    // An archive that cannot be used is a defect: the client is answered 500, and the cause is logged.
    const archived = (kind: "pdf" | "xml") => (file: DocumentFile) => {
      const path = Path.join(archive, `${file.tag}.${kind}`)
      const bytes = Effect.gen(function* () {
        const found = yield* Effect.promise(() => read(path))
        if (found !== undefined) return found
        const made = yield* file.bytes
        yield* Effect.promise(() => write(path, made))
        return made
      })
      return { ...file, bytes }
    }

    return DocumentFiles.of({
      ...ours,
      pdf: (document, asker) => Effect.map(ours.pdf(document, asker), archived("pdf")),
      xml: (document, asker) => Effect.map(ours.xml(document, asker), archived("xml"))
    })
  })
)

main({ documentFiles })
