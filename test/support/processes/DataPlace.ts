import * as Fs from "node:fs"
import * as Os from "node:os"

/** A file system in memory. */
export const memory = "/dev/shm"
const roomFor = 4 * 2 ** 30

/**
 * Where the tests' servers keep their data: in memory, where there is room for it. On a disk, each commit and each database that is
 * made or dropped waits for the disk, which takes more than half of the time of most tests; and no test cuts the power. What is
 * measured outside of the tests is measured on the disk.
 */
export const dataPlace = (): string => {
  if (process.env["VITEST"] === undefined || !Fs.existsSync(memory)) return Os.tmpdir()
  const { bavail, bsize } = Fs.statfsSync(memory)
  return Math.min(bavail * bsize, Os.freemem()) > roomFor ? memory : Os.tmpdir()
}
