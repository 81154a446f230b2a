import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'

const block = 512

/** Reads the files of a package's tarball, by path in the package. Does not need an installed `tar`. */
export function readTarball(file: string): ReadonlyMap<string, Buffer> {
  const bytes = gunzipSync(readFileSync(file))
  const files = new Map<string, Buffer>()
  let longName: string | undefined
  for (let at = 0; at + block <= bytes.length && bytes[at] !== 0;) {
    const readText = (start: number, length: number): string =>
      bytes.toString('utf8', at + start, at + start + length).replace(/\0[^]*/, '')
    const size = Number.parseInt(readText(124, 12), 8)
    const type = readText(156, 1)
    const prefix = readText(345, 155)
    const content = bytes.subarray(at + block, at + block + size)
    if (type === 'x') longName = /\d+ path=([^\n]*)\n/.exec(content.toString('utf8'))?.[1]
    else {
      const name = longName ?? (prefix === '' ? readText(0, 100) : `${prefix}/${readText(0, 100)}`)
      longName = undefined
      if (type === '0' || type === '') files.set(name.replace(/^package\//, ''), content)
    }
    at += block + Math.ceil(size / block) * block
  }
  return files
}
