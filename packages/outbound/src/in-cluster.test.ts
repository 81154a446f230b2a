import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readInClusterConfig } from './in-cluster.ts'

const environment = { KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' }

let directory: string
beforeAll(async () => void (directory = await mkdtemp(path.join(os.tmpdir(), 'in-cluster-'))))
afterAll(() => rm(directory, { recursive: true }))

test('reads the address from the environment, and the token again when it changes', async () => {
  await expect(readInClusterConfig({ environment, directory })).rejects.toThrow(`open ${directory}/token: no such file or directory`)
  await writeFile(path.join(directory, 'token'), 'first\n')
  let now = 0
  const config = await readInClusterConfig({ environment, directory, clock: { now: () => now, after: () => () => {} } })
  expect(config).toMatchObject({ url: 'https://[fd00::1]:6443', tls: {} })
  expect(await config.headers()).toEqual({ authorization: 'Bearer first' })
  await writeFile(path.join(directory, 'token'), 'second\n')
  now = 60_000
  expect(await config.headers()).toEqual({ authorization: 'Bearer second' })
})

test('refuses a CA that TLS could not use', async () => {
  await writeFile(path.join(directory, 'token'), 'first\n')
  await writeFile(path.join(directory, 'ca.crt'), 'not PEM')
  await expect(readInClusterConfig({ environment, directory })).rejects.toThrow('unable to parse bytes as PEM block')
})

test('says what is missing outside of a pod', async () => {
  const message = 'unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined'
  await expect(readInClusterConfig({ environment: {}, directory })).rejects.toThrow(message)
})
