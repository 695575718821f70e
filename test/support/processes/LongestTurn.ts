// By the CPU time of the thread: other processes on the machine do not count.
const cpuMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1_000
}

/** Follows this thread's event loop from now on. Returns the longest turn since the last call, in milliseconds. */
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
