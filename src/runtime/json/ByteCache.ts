/** A cache of byte arrays by name. When it is full, a new entry replaces the least recently used entries. */
export class ByteCache {
  private readonly max: number
  private readonly entries = new Map<string, Uint8Array>()
  private total = 0

  /** @param max  the limit for the sum of all entries, in bytes */
  constructor(max: number) {
    this.max = max
  }

  get(name: string): Uint8Array | undefined {
    const found = this.entries.get(name)
    if (found === undefined) return undefined
    this.entries.delete(name)
    this.entries.set(name, found)
    return found
  }

  set(name: string, bytes: Uint8Array): void {
    this.total += bytes.length - (this.entries.get(name)?.length ?? 0)
    this.entries.delete(name)
    this.entries.set(name, bytes)
    for (const [oldest, { length }] of this.entries) {
      if (this.total <= this.max) return
      this.entries.delete(oldest)
      this.total -= length
    }
  }
}
