import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { Kubectl } from './kubectl.ts'

const binary = findKubectl()

describe.skipIf(binary === undefined)('kubectl apply --server-side', { timeout: 90_000 }, () => {
  let server: KeelsonProcess
  let kubectl: Kubectl
  let scratch: string

  beforeAll(async () => {
    scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-apply-'))
    server = await startKeelsonProcess()
    kubectl = new Kubectl(binary ?? '', server, scratch)
  })
  afterAll(async () => {
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  })

  const configMap = (name: string, data: Record<string, string>): string =>
    JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data })
  const written = async (name: string, data: Record<string, string>): Promise<string> => {
    const file = path.join(scratch, `${name}-${Object.values(data).join('')}.json`)
    await writeFile(file, configMap(name, data))
    return file
  }
  const dataOf = async (name: string): Promise<unknown> =>
    JSON.parse(await kubectl.run(['get', 'cm', name, '-o', 'jsonpath={.data}'])) as unknown
  const managersOf = (name: string): Promise<string> =>
    kubectl.run(['get', 'cm', name, '--show-managed-fields', '-o', 'jsonpath={.metadata.managedFields[*].manager}'])

  test('creates, changes, removes, and says when there is nothing to do', async () => {
    const first = await written('a', { one: '1', two: '2' })
    expect(await kubectl.run(['apply', '--server-side', '-f', first])).toBe('configmap/a serverside-applied\n')
    expect(await kubectl.run(['apply', '--server-side', '-f', await written('a', { one: '3' })])).toBe('configmap/a serverside-applied\n')
    expect(await dataOf('a')).toEqual({ one: '3' })
    expect(await managersOf('a')).toBe('kubectl')
    const version = (): Promise<string> => kubectl.run(['get', 'cm', 'a', '-o', 'jsonpath={.metadata.resourceVersion}'])
    const before = await version()
    await kubectl.run(['apply', '--server-side', '-f', await written('a', { one: '3' })])
    expect(await version()).toBe(before)
    const dry = await kubectl.run(['apply', '--server-side', '--dry-run=server', '-f', await written('a', { one: '4' })])
    expect(dry).toBe('configmap/a serverside-applied (server dry run)\n')
    expect(await dataOf('a')).toEqual({ one: '3' })
  })

  test('stops at conflicts, and forces them', async () => {
    await kubectl.run(['apply', '--server-side', '--field-manager=one', '-f', await written('b', { key: '1' })])
    const file = await written('b', { key: '2' })
    const refused = await kubectl.try(['apply', '--server-side', '--field-manager=two', '-f', file])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "one": .data.key')
    expect(refused.stderr).toContain('--force-conflicts')
    await kubectl.run(['apply', '--server-side', '--field-manager=two', '--force-conflicts', '-f', file])
    expect(await dataOf('b')).toEqual({ key: '2' })
    expect(await managersOf('b')).toBe('two')
  })

  test('takes over from client-side apply', async () => {
    await kubectl.run(['apply', '-f', await written('c', { key: '1', other: '1' })])
    expect(await managersOf('c')).toBe('kubectl-client-side-apply')
    await kubectl.run(['apply', '--server-side', '-f', await written('c', { key: '2' })])
    expect(await dataOf('c')).toEqual({ key: '2' })
    const annotation = 'jsonpath={.metadata.annotations.kubectl\\.kubernetes\\.io/last-applied-configuration}'
    expect(JSON.parse(await kubectl.run(['get', 'cm', 'c', '-o', annotation]))).toMatchObject({ data: { key: '2' } })
  })

  test('shows what it would change', async () => {
    await kubectl.run(['apply', '--server-side', '-f', await written('d', { key: '1' })])
    const diff = await kubectl.try(['diff', '--server-side', '-f', await written('d', { key: '2' })])
    expect(diff.code).toBe(1)
    expect(diff.stdout).toMatch(/-\s+key: "1"\n\+\s+key: "2"/)
  })
})
