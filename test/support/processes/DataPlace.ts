import * as Fs from "node:fs"
import * as Os from "node:os"

/** A file system in memory. */
export const memory = "/dev/shm"
const roomFor = 4 * 2 ** 30

/**
 * Directory of the tests' servers: in memory if there is space. On a disk, each commit and each creation or drop of a
 * database waits for the disk, which takes more than half of the time of most tests, and no test cuts the power.
 * Measurements outside the tests use the disk.
 */
export const dataPlace = (): string => {
  if (process.env["VITEST"] === undefined || !Fs.existsSync(memory)) return Os.tmpdir()
  const { bavail, bsize } = Fs.statfsSync(memory)
  return Math.min(bavail * bsize, Os.freemem()) > roomFor ? memory : Os.tmpdir()
}
