import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createServerChain } from './create-server-chain.ts'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'keelson-own-'))
})
afterEach(() => rm(directory, { recursive: true }))

interface Line {
  readonly text: string
  readonly file: unknown
}

/** Starts and closes a server. Returns the log messages that name a file. */
async function start(): Promise<Line[]> {
  const lines: Line[] = []
  const chain = await createServerChain({
    serving: { certificates: { directory } },
    controllers: ['none'],
    log: (_level, text, fields) => fields?.['file'] !== undefined && lines.push({ text, file: fields['file'] }),
  })
  await chain.close()
  return lines
}

const locateFile = (name: string): string => path.join(directory, name)

test('logs generated certificates once', async () => {
  expect(await start()).toEqual(
    expect.arrayContaining([
      { text: 'Made a certificate', file: locateFile('ca.crt') },
      { text: 'Made a certificate', file: locateFile('apiserver.crt') },
      { text: 'Made a certificate', file: locateFile('admin.crt') },
      { text: 'Made a key for service account tokens', file: locateFile('sa.key') },
    ]),
  )
  expect(await start()).toEqual([])
})

test.skipIf(process.platform === 'win32')('logs a world-readable private key on each start', async () => {
  await start()
  await chmod(locateFile('sa.key'), 0o644)
  await chmod(locateFile('ca.key'), 0o640)
  expect(await start()).toEqual([{ text: expect.stringContaining('private key is readable'), file: locateFile('sa.key') }])
})

test('rejects a damaged CA with a clear message', async () => {
  await start()
  await writeFile(locateFile('ca.crt'), 'rubbish')
  await expect(start()).rejects.toMatchObject({ name: 'ConfigurationError', message: expect.stringContaining('ca.crt is damaged') })
})
