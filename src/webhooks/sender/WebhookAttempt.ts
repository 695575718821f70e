import { NetAddress } from "effect/net"
import type { AnswerSink, PinnedConnection } from "./PinnedConnections.ts"

// Bytes of a response's body; the rest of a longer body is not read.
const maxReadBytes = 64 * 1024
const maxRecordedBytes = 4 * 1024

const withoutNul = (text: string) => text.replaceAll("\u0000", "")

/**
 * The headers that an attempt records: the first headers, each complete, up to the same number of bytes as for a body.
 */
const recordedHeaders = (headers: Readonly<Record<string, string | Array<string> | undefined>>) => {
  let bytes = 0
  return Object.fromEntries(
    Object.entries(headers)
      .map(([name, value]) => [name, withoutNul([value ?? ""].flat().join(", "))] as const)
      .filter(([name, value]) => (bytes += Buffer.byteLength(name) + Buffer.byteLength(value)) <= maxRecordedBytes)
  )
}

/** Collects the data that an attempt records, and owns the connection during the exchange. */
export class Attempt implements AnswerSink {
  remoteIp: string | null = null
  status: number | null = null
  headers: Record<string, string> = {}
  private connection: PinnedConnection | undefined
  private readonly chunks: Array<Uint8Array> = []
  private recorded = 0
  private read = 0

  own(connection: PinnedConnection) {
    this.connection = connection
    this.remoteIp = NetAddress.formatIp(connection.address.address)
  }

  onHeaders(status: number, headers: Readonly<Record<string, string | Array<string> | undefined>>) {
    this.status = status
    this.headers = recordedHeaders(headers)
  }

  onBody(chunk: Uint8Array) {
    if (this.recorded < maxRecordedBytes) {
      // A copy, because the chunk is a view that would keep a much larger buffer in memory.
      const part = new Uint8Array(chunk.subarray(0, maxRecordedBytes - this.recorded))
      this.chunks.push(part)
      this.recorded += part.length
    }
    this.read += chunk.length
    return this.read <= maxReadBytes
  }

  body(): string {
    if (this.recorded === 0) return ""
    // `stream` omits a character that the limit cuts in two, instead of replacing it with U+FFFD.
    const text = new TextDecoder().decode(Buffer.concat(this.chunks), { stream: this.read > this.recorded })
    return withoutNul(text)
  }

  /**
   * Keeps the connection after a complete response. Otherwise destroys it, because the rest of the response may still
   * arrive.
   */
  release(completed: boolean) {
    if (completed) this.connection?.keep()
    else this.connection?.destroy()
    this.connection = undefined
  }
}
