import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readKubeletTls } from './kubelet-tls.ts'

let directory: string
const locateFile = (name: string): string => path.join(directory, name)
beforeAll(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'keelson-kubelet-tls-'))
})
afterAll(() => rm(directory, { recursive: true }))

test('without files, does not verify the kubelet and sends no certificate', async () => {
  expect(await (await readKubeletTls({}))()).toEqual({ verify: false })
})

test('rereads changed files for new connections', async () => {
  await Promise.all(['ca', 'cert', 'key'].map((name) => writeFile(locateFile(name), `${name} 1`)))
  const tls = await readKubeletTls({ authorityFile: locateFile('ca'), certificateFile: locateFile('cert'), keyFile: locateFile('key') })
  expect(await tls()).toEqual({ verify: true, authority: 'ca 1', certificate: 'cert 1', key: 'key 1' })
  await writeFile(locateFile('cert'), 'cert, renewed')
  expect(await tls()).toMatchObject({ certificate: 'cert, renewed', key: 'key 1' })
})

test('rejects invalid files immediately', async () => {
  await expect(readKubeletTls({ certificateFile: locateFile('cert') })).rejects.toThrow('must be set together')
  await expect(readKubeletTls({ authorityFile: locateFile('none') })).rejects.toMatchObject({ name: 'ConfigurationError' })
})
