import { create } from "qrcode"

interface Run {
  readonly x: number
  readonly y: number
  readonly length: number
}

/** A QR code: its width in modules, and its dark modules as runs of each row. */
export interface QrCode {
  readonly width: number
  readonly runs: ReadonlyArray<Run>
}

/**
 * A text as a QR code. Error correction L has the largest modules: cameras fail more often because of small modules
 * than because of stains.
 */
export const qrCode = (text: string): QrCode => {
  const { data, size } = create(text, { errorCorrectionLevel: "L" }).modules
  const runs: Array<Run> = []
  for (let y = 0; y < size; y++) {
    let x = 0
    while (x < size) {
      const begin = x
      while (x < size && data[y * size + x] === 1) x += 1
      if (x > begin) runs.push({ x: begin, y, length: x - begin })
      x += 1
    }
  }
  return { width: size, runs }
}
