/** Measured values of the run by name: rates per second, latencies and ratios. */
export const rates = new Map<string, number>()
export const rate = (name: string) => rates.get(name) ?? Number.NaN

export const say = (line: string) => void process.stdout.write(`${line}\n`)
export const show = (name: string, rest: string) => say(`${name.padEnd(46)} ${rest}`)

export const ms = (value: number) => `${value.toFixed(0)} ms`
export const kilobytes = (bytes: number) => `${(bytes / 1024).toFixed(1)} kB`

/** Prints whether a target is met, if the run has measured its value. */
export const verdict = (name: string, value: number, target: number, atLeast = true) => {
  if (Number.isNaN(value)) return
  const isMet = atLeast ? value >= target : value <= target
  say(
    `${isMet ? "ok    " : "MISSED"} ${name.padEnd(64)} ${value.toFixed(2)} (${atLeast ? "at least" : "at most"} ${target})`
  )
}
