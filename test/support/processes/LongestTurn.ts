// By the CPU time of the thread: what else runs on the machine does not count.
const cpuMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** Follows this thread's event loop from now on. Tells for how many milliseconds its longest turn has worked since it was last asked. */
export const followTurns = (): (() => number) => {
  let last = cpuMs()
  let longest = 0
  const turn = () => {
    const now = cpuMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  setInterval(turn, 1).unref()
  return () => {
    turn()
    const told = longest
    longest = 0
    return told
  }
}
