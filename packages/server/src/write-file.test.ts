import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { writeFileAtomically } from './write-file.ts'

let directory = ''
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'keelson-write-file-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const readMode = (file: string): number => statSync(file).mode & 0o777

it('does not rewrite a file with identical content, so that no free disk space is needed', async () => {
  const file = join(directory, 'f')
  await writeFileAtomically(file, 'content', 0o600)
  const { ino } = statSync(file)
  await writeFileAtomically(file, 'content', 0o600)
  expect(statSync(file).ino).toBe(ino)
})

it('replaces a file with different content or mode, and replaces a symbolic link by a file', async () => {
  const file = join(directory, 'f')
  await writeFileAtomically(file, 'old', 0o600)
  await writeFileAtomically(file, 'new', 0o600)
  expect(readFileSync(file, 'utf8')).toBe('new')

  chmodSync(file, 0o666)
  await writeFileAtomically(file, 'new', 0o600)
  expect(readMode(file)).toBe(0o600)

  const target = join(directory, 'target')
  writeFileSync(target, 'new', { mode: 0o600 })
  rmSync(file)
  symlinkSync(target, file)
  await writeFileAtomically(file, 'newer', 0o600)
  expect([readFileSync(file, 'utf8'), readFileSync(target, 'utf8')]).toEqual(['newer', 'new'])
  expect(readdirSync(directory).toSorted()).toEqual(['f', 'target'])
})
