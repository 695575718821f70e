/*
 * The service with an archive: it stores each PDF and XML at the first request, and then serves the stored file:
 *
 *   ARCHIVE=/var/lib/folio/archive node OwnDocumentFiles.ts
 */
import { main } from "@folio-einvoicing/service"
import { type DocumentFile, DocumentFiles } from "@folio-einvoicing/service/ports"
import { Config, Effect, Layer } from "effect"
import * as Fs from "node:fs/promises"
import * as Path from "node:path"

/** The content of the file; undefined if there is no file. */
const read = async (path: string) => {
  try {
    return new Uint8Array(await Fs.readFile(path))
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw cause
  }
}

/** Writes, flushes and renames a temporary file: readers see the whole file or none, also after a crash. */
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

    // The tag identifies the content: a document that is signed again, or printed by another release, has another tag.
    // An unusable archive is a defect: the client gets a 500, and Folio logs the cause.
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
