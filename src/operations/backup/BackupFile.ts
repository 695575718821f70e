/**
 * A backup file: a line with the format, then a zstd stream of frames. A frame is one letter, the length and the CRC-32
 * of its content in four bytes each (big endian), and the content. The last frame has the number of earlier frames and
 * their SHA-256. The last line of the file has the file's length, so that a truncated file is detected before it is
 * read.
 */
import { Effect, Redacted, Schema, Stream } from "effect"
import { createHash, createHmac, hkdfSync, randomBytes, timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { finished, pipeline } from "node:stream/promises"
import { constants, crc32, createZstdCompress, createZstdDecompress } from "node:zlib"
import { reasonOf } from "../../runtime/postgres/PostgresBinaries.ts"

/** A backup cannot be written, read or restored. The message is one line with the fix. */
export class BackupError extends Schema.TaggedError<BackupError>()("BackupError", { message: Schema.String }) {}

const format = 1
const firstLine = Buffer.from(`folio-backup ${format}\n`)
const lineMax = 40

/** The last line of a file of `size` bytes; its length is always the same. */
const lastLine = (size: number) => Buffer.from(`folio-end ${String(size).padStart(16, "0")}\n`)
const lastLength = lastLine(0).length

const headLength = 9

// Far above the largest row. A greater length means damage, and no memory is allocated for it.
const frameMax = 256 * 1024 * 1024

/**
 * `header`: facts about the backup. `keys`: the encrypted keys. `table`, `rows`, `end`: a table, its rows in portions,
 * and their count and SHA-256. `sequences`: the database's counters. `last`: the end of the file.
 */
const letters = { header: "H", keys: "K", table: "T", rows: "R", end: "E", sequences: "S", last: "Z" } as const
export type FrameKind = keyof typeof letters
const kinds = new Map(Object.entries(letters).map(([kind, letter]) => [letter.charCodeAt(0), kind as FrameKind]))

export interface Frame {
  readonly kind: FrameKind
  readonly content: Buffer
}

const Last = Schema.fromJsonString(
  Schema.Struct({ frames: Schema.Int, sha256: Schema.String, mac: Schema.optionalKey(Schema.String) })
)

/** The key that encrypts the secrets of the database. */
export type BackupKey = Redacted.Redacted<Uint8Array>

/** A code over the SHA-256 of all frames, which only the key can produce. */
const macOf = (key: BackupKey, sha256: string) => {
  const derived = Buffer.from(hkdfSync("sha256", Redacted.value(key), "", "folio backup mac", 32))
  return createHmac("sha256", derived).update(sha256).digest("hex")
}

const isMac = (given: string, right: string) =>
  given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right))
const encodeLast = Schema.encodeSync(Last)
const decodeLast = Schema.decodeUnknownSync(Last)

const cannot = (file: string, cause: unknown) =>
  new BackupError({
    message: `The backup cannot be written to ${file} (${reasonOf(cause)}). Choose a file in a directory that this user can write to, with enough space.`
  })

const taken = (file: string) =>
  new BackupError({
    message: `${file} exists already, and Folio overwrites no backup. Choose another file, or remove it.`
  })

const publish = (unfinished: string, file: string) => {
  try {
    // A link, not a rename: it never replaces a file that was created in the meantime.
    Fs.linkSync(unfinished, file)
    Fs.rmSync(unfinished)
  } catch (cause) {
    if (Fs.existsSync(file)) throw cause
    Fs.renameSync(unfinished, file)
  }
  const folder = Fs.openSync(Path.dirname(file), "r")
  Fs.fsyncSync(folder)
  Fs.closeSync(folder)
}

/**
 * Writes a backup. `use` gets the function that writes a frame, and returns the key of the authentication code, if
 * there is one. The file has another name until it is complete and on disk (`flush`), and only its owner can read it.
 * Never overwrites an existing file. Returns the size of the file in bytes.
 */
export const write = Effect.fnUntraced(function* <E, R>(
  path: string,
  use: (
    put: (kind: FrameKind, content: Uint8Array) => Effect.Effect<void, BackupError>
  ) => Effect.Effect<BackupKey | undefined, E, R>
) {
  const file = Path.resolve(path)
  if (Fs.existsSync(file)) return yield* taken(file)
  const unfinished = `${file}.unfinished-${process.pid}-${randomBytes(4).toString("hex")}`
  const attempt = <A>(run: () => A | Promise<A>) =>
    Effect.tryPromise({ try: async () => await run(), catch: (cause) => cannot(file, cause) })
  // An existing file with this name is not ours, and stays.
  const output = yield* attempt(async () => {
    const stream = Fs.createWriteStream(unfinished, { flags: "wx", mode: 0o600, flush: true })
    await once(stream, "open")
    return stream
  })
  return yield* Effect.gen(function* () {
    const packer = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } })
    const piped = pipeline(packer, output, { end: false })
    // The next write, or the end, reports a disk failure. Here it only must not end the process.
    piped.catch(() => {})
    output.write(firstLine)
    const sum = createHash("sha256")
    let frames = 0
    const emit = (kind: FrameKind, content: Uint8Array) =>
      attempt(async () => {
        if (content.length > frameMax) throw new Error(`${content.length} bytes of one part are too many`)
        const head = Buffer.alloc(headLength)
        head.write(letters[kind], "latin1")
        head.writeUInt32BE(content.length, 1)
        head.writeUInt32BE(crc32(content), 5)
        for (const part of [head, content]) {
          sum.update(part)
          if (output.destroyed) return await piped
          if (!packer.write(part)) await Promise.race([once(packer, "drain"), piped])
        }
        frames += 1
      })
    const key = yield* use(emit)
    const sha256 = sum.copy().digest("hex")
    const last = encodeLast({ frames, sha256, ...(key === undefined ? {} : { mac: macOf(key, sha256) }) })
    yield* emit("last", Buffer.from(last))
    yield* attempt(async () => {
      packer.end()
      await piped
      // Count bytes after they are written.
      await new Promise<void>((resolve, reject) => output.write("", (error) => (error ? reject(error) : resolve())))
      output.end(lastLine(output.bytesWritten + lastLength))
      await finished(output)
    })
    yield* attempt(() => {
      if (Fs.existsSync(file)) throw new Error("it exists by now")
      publish(unfinished, file)
    })
    return Fs.statSync(file).size
  }).pipe(Effect.ensuring(Effect.sync(() => Fs.rmSync(unfinished, { force: true }))))
})

export const damaged = (file: string, why: string) =>
  new BackupError({
    message: `${file} is damaged or not whole (${why}). Copy it again from its storage, or take another backup.`
  })

const altered = (file: string) =>
  new BackupError({
    message: `${file} was altered, or was written with another key: its authentication code is wrong. Use another copy of the backup.`
  })

const unauthenticated = (file: string) =>
  new BackupError({
    message: `${file} has no authentication code: it was taken without the key or by an earlier release, or was altered. If you trust its storage, add --unauthenticated.`
  })

const opened = (file: string) => {
  const descriptor = Fs.openSync(file, "r")
  try {
    const line = Buffer.alloc(lineMax)
    const read = line.subarray(0, Fs.readSync(descriptor, line, 0, lineMax, 0))
    if (read.subarray(0, firstLine.length).equals(firstLine)) {
      const { size } = Fs.fstatSync(descriptor)
      const end = Buffer.alloc(lastLength)
      Fs.readSync(descriptor, end, 0, lastLength, Math.max(0, size - lastLength))
      if (!end.equals(lastLine(size))) throw damaged(file, "its end is missing")
      return size
    }
    const other = /^folio-backup (\d+)\n/.exec(read.toString("latin1"))?.[1]
    throw new BackupError({
      message:
        other === undefined
          ? `${file} is not a backup of Folio. Choose a file from folio backup.`
          : `${file} is of a later release (format ${other}, this release knows ${format}). Restore it with that release.`
    })
  } finally {
    Fs.closeSync(descriptor)
  }
}

async function* framesOf(file: string, size: number, key: BackupKey | undefined): AsyncGenerator<Frame> {
  const unpacker = createZstdDecompress()
  const packed = Fs.createReadStream(file, { start: firstLine.length, end: size - lastLength - 1 })
  const piped = pipeline(packed, unpacker)
  piped.catch(() => {})
  const sum = createHash("sha256")
  let frames = 0
  let parts: Array<Buffer> = []
  let have = 0
  let want = headLength
  let head: { readonly kind: FrameKind; readonly bytes: Buffer } | undefined
  let isOver = false
  for await (const chunk of unpacker as AsyncIterable<Buffer>) {
    parts.push(chunk)
    have += chunk.length
    while (have >= want) {
      if (isOver && have > 0) throw damaged(file, "something follows its end")
      const all = parts.length === 1 ? parts[0]! : Buffer.concat(parts, have)
      const piece = all.subarray(0, want)
      parts = [all.subarray(want)]
      have -= want
      if (head === undefined) {
        const kind = kinds.get(piece[0]!)
        want = piece.readUInt32BE(1)
        if (kind === undefined || want > frameMax) throw damaged(file, "a part of it cannot be read")
        head = { kind, bytes: piece }
        continue
      }
      const { bytes, kind } = head
      // Fail here, before the database gets invalid rows.
      if (crc32(piece) !== bytes.readUInt32BE(5)) throw damaged(file, "the checksum of a part of it is wrong")
      head = undefined
      want = headLength
      if (kind === "last") {
        const last = decodeLast(piece.toString())
        if (last.frames !== frames || last.sha256 !== sum.digest("hex")) throw damaged(file, "its checksum is wrong")
        if (key !== undefined) {
          if (last.mac === undefined) throw unauthenticated(file)
          if (!isMac(last.mac, macOf(key, last.sha256))) throw altered(file)
        }
        isOver = true
        want = 1
      } else {
        frames += 1
        sum.update(bytes).update(piece)
      }
      yield { kind, content: piece }
    }
  }
  if (!isOver) throw damaged(file, "its end is missing")
}

/**
 * The frames of a backup. Fails with `BackupError` if the file is not a complete backup of this format. Checks the last
 * frame, and with `key` also the authentication code.
 */
export const read = (path: string, key?: BackupKey): Stream.Stream<Frame, BackupError> => {
  const file = Path.resolve(path)
  const problem = (cause: unknown) => (cause instanceof BackupError ? cause : damaged(file, reasonOf(cause)))
  const start = Effect.try({
    try: () => opened(file),
    catch: (cause) =>
      cause instanceof BackupError
        ? cause
        : new BackupError({
            message: `${file} cannot be read (${reasonOf(cause)}). Choose a backup that this user can read.`
          })
  })
  return Stream.unwrap(Effect.map(start, (size) => Stream.fromAsyncIterable(framesOf(file, size, key), problem)))
}
