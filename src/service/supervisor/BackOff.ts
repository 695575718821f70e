const settledAfter = 60_000
const firstWait = 1_000
const longestWait = 30_000

/** Whether a process that lived for this many milliseconds was well, so that its end counts as the first one. */
export const isSettled = (lived: number): boolean => lived >= settledAfter

/** How many milliseconds to wait after the n-th death in a row of a process, from 1: none after the first, 30 s at the most. */
export const waitAfter = (deaths: number): number =>
  deaths <= 1 ? 0 : Math.min(longestWait, firstWait * 2 ** (deaths - 2))
