import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findKubectl } from '../real-parts/find-kubectl.ts'

const program = findKubectl()

describe.skipIf(program === undefined)('a group of three kinds in code, with kubectl', () => {
  const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-kinds-'))
  const kubeconfig = path.join(directory, 'kubeconfig')
  const port: { close?: () => Promise<void> } = {}
  beforeAll(async () => {
    const { cluster, firstCount } = await import('./shop.ts')
    port.close = () => cluster.close()
    expect(firstCount).toBe(1)
    await cluster.writeKubeconfig(kubeconfig)
  })
  afterAll(async () => {
    await port.close?.()
    rmSync(directory, { recursive: true, force: true })
  })

  /** Runs kubectl in a process, and lets the server in this process answer. */
  function runKubectl(...args: readonly string[]): Promise<string> {
    const flags = ['--kubeconfig', kubeconfig, '--cache-dir', directory]
    return new Promise((resolve) => execFile(program!, [...flags, ...args], (_error, stdout, stderr) => resolve(stdout + stderr)))
  }
  function writeManifest(name: string, manifest: object): string {
    const file = path.join(directory, name)
    writeFileSync(file, JSON.stringify(manifest))
    return file
  }
  const createProduct = (spec: object): object => ({ apiVersion: 'shop.example.com/v1', kind: 'Product', metadata: { name: 'lamp' }, spec })

  test('is at most 40 lines long and has no casts', () => {
    const source = readFileSync(new URL('shop.ts', import.meta.url), 'utf8')
    expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(40)
    expect(source.replaceAll('as const', '').replaceAll('import * as', '')).not.toMatch(/\bas\b|\bany\b/)
  })

  test('is applied, also on the server', async () => {
    expect(await runKubectl('apply', '-f', writeManifest('a.json', createProduct({ price: 5 })))).toBe(
      'product.shop.example.com/lamp created\n',
    )
    expect(await runKubectl('apply', '-f', writeManifest('b.json', createProduct({ price: 6 })))).toBe(
      'product.shop.example.com/lamp configured\n',
    )
    expect(
      await runKubectl('apply', '--server-side', '--force-conflicts', '-f', writeManifest('c.json', createProduct({ price: 7 }))),
    ).toBe('product.shop.example.com/lamp serverside-applied\n')
    expect(await runKubectl('get', 'products')).toMatch(/^NAME +PRICE\nlamp +7\n$/)
  })

  test('is validated by kubectl and by the rules of the server', async () => {
    expect(await runKubectl('apply', '-f', writeManifest('d.json', createProduct({ price: 'much' })))).toContain('spec.price')
    expect(await runKubectl('patch', 'ord', 'first', '--type=merge', '-p', '{"spec":{"product":"sofa"}}')).toContain(
      'spec.product: Invalid value: cannot change',
    )
    expect(await runKubectl('get', 'ord', 'first', '-o', 'jsonpath={.status.phase}')).toBe('Paid')
  })

  test('is explained', async () => {
    expect(await runKubectl('explain', 'product.spec.price')).toContain('Price in euros.')
    expect(await runKubectl('explain', 'shelves.spec')).toMatch(/rows\t<integer>/)
  })
})
