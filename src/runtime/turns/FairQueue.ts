/**
 * A queue of waiting jobs. Owners take turns, and the askers of one owner take turns. Many jobs delay only later jobs
 * of the same asker.
 */
export class FairQueue<A> {
  size = 0
  private readonly owners = new Map<string, Map<string, Array<A>>>()

  add(owner: string, asker: string, job: A): void {
    const lines = this.owners.get(owner) ?? new Map<string, Array<A>>()
    lines.set(asker, [...(lines.get(asker) ?? []), job])
    this.owners.set(owner, lines)
    this.size += 1
  }

  /** The number of waiting jobs of an owner, or of one asker of the owner. */
  count(owner: string, asker?: string): number {
    const lines = this.owners.get(owner)
    if (asker !== undefined) return lines?.get(asker)?.length ?? 0
    let jobs = 0
    for (const line of lines?.values() ?? []) jobs += line.length
    return jobs
  }

  /** The number of waiting jobs before a further job of the owner; 0 if no job of the owner waits. */
  before(owner: string): number {
    const own = this.count(owner)
    if (own === 0) return 0
    let jobs = 0
    for (const other of this.owners.keys()) jobs += Math.min(own, this.count(other))
    return jobs
  }

  /**
   * Takes the next job of the first owner in line that satisfies `mayTake`. The owner then moves to the end of the
   * line.
   */
  take(mayTake: (owner: string) => boolean): { readonly owner: string; readonly job: A } | undefined {
    for (const [owner, lines] of this.owners) {
      const [first] = lines
      if (first === undefined || !mayTake(owner)) continue
      const [asker, [job, ...rest]] = first
      if (job === undefined) continue
      lines.delete(asker)
      if (rest.length > 0) lines.set(asker, rest)
      this.owners.delete(owner)
      if (lines.size > 0) this.owners.set(owner, lines)
      this.size -= 1
      return { owner, job }
    }
    return undefined
  }

  /** Removes a waiting job. Does nothing if the job is not in the queue. */
  remove(owner: string, asker: string, job: A): void {
    const lines = this.owners.get(owner)
    const line = lines?.get(asker)
    if (lines === undefined || line === undefined || !line.includes(job)) return
    const rest = line.filter((other) => other !== job)
    if (rest.length > 0) lines.set(asker, rest)
    else lines.delete(asker)
    if (lines.size === 0) this.owners.delete(owner)
    this.size -= 1
  }
}
