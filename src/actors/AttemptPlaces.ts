import { Counts } from "../protocol/Counts.ts"
import { FairQueue } from "../protocol/FairQueue.ts"
import type { LimitValues } from "../settings/Limits.ts"

/** Wakes the actor of an endpoint that waits for a place. */
type Wake = () => void

/**
 * The places of webhook attempts. An account with slow receivers or many events fills its own number of places and leaves the rest
 * to other accounts. An endpoint that finds no free place waits for one, and accounts take turns at freed places.
 */
export const make = ({ atOnce, inAll, ofOwner }: LimitValues["attempts"]) => {
  const queue = new FairQueue<Wake>()
  const taken = new Counts()
  let total = 0

  const freeOf = (owner: string) => Math.min(inAll - total, ofOwner - taken.of(owner), atOnce)
  const count = (owner: string, change: number) => {
    total += change
    taken.add(owner, change)
  }

  return {
    /** Takes the free places, up to `atOnce`; gives how many. When it gives 0, `wake` is called once a place is free. */
    take: (owner: string, asker: string, wake: Wake): number => {
      const free = Math.max(freeOf(owner), 0)
      if (free > 0) count(owner, free)
      else if (queue.waiting(owner, asker) === 0) queue.add(owner, asker, wake)
      return free
    },
    /** Takes one place if one is free that no waiting owner may have: each of them has its own number. Gives whether it did. */
    takeOne: (owner: string): boolean => {
      const isFree = freeOf(owner) > 0 && !queue.some((one) => taken.of(one) < ofOwner)
      if (isFree) count(owner, 1)
      return isFree
    },
    /** Gives places back, and wakes endpoints that wait for a place. */
    free: (owner: string, places: number): void => {
      if (places === 0) return
      count(owner, -places)
      for (let place = 0; place < places; place++) {
        const next = queue.take((one) => freeOf(one) > 0)
        if (next === undefined) return
        next.job()
      }
    },
    /** Takes an endpoint out of the line of those that wait for a place. */
    leave: (owner: string, asker: string, wake: Wake): void => queue.remove(owner, asker, wake)
  }
}
