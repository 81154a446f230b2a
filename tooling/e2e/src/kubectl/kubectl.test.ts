import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { Kubectl } from './kubectl.ts'

const binary = findKubectl()

describe.skipIf(binary === undefined)('kubectl, as a new user runs it', { timeout: 90_000 }, () => {
  let server: KeelsonProcess
  let kubectl: Kubectl
  let scratch: string

  beforeAll(async () => {
    scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-kubectl-'))
    server = await startKeelsonProcess()
    kubectl = new Kubectl(binary ?? '', server, scratch)
  })
  afterAll(async () => {
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  })

  const configMap = (name: string, value: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  key: ${value}\n`
  const pod = (name: string, image: string): string =>
    `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\n  labels: {app: ${name}}\nspec:\n  containers:\n  - {name: c, image: "${image}"}\n`

  test('version and api-resources', async () => {
    expect(await kubectl.run(['version'])).toMatch(/Server Version: v1\.36/)
    const resources = await kubectl.run(['api-resources'])
    for (const line of [/^configmaps +cm +v1 +true +ConfigMap$/m, /^namespaces +ns +v1 +false +Namespace$/m, /^pods +po +v1 +true +Pod$/m])
      expect(resources).toMatch(line)
    expect(await kubectl.run(['api-versions'])).toContain('events.k8s.io/v1')
  })

  test('create, get in every form, delete', async () => {
    expect(await kubectl.run(['create', 'configmap', 'made', '--from-literal=a=1'])).toBe('configmap/made created\n')
    expect(await kubectl.run(['get', 'cm', 'made'])).toMatch(/^NAME +DATA +AGE\nmade +1 +\d+s\n$/)
    expect(await kubectl.run(['get', 'cm', 'made', '-o', 'wide'])).toContain('made')
    expect(JSON.parse(await kubectl.run(['get', 'cm', 'made', '-o', 'json']))).toMatchObject({ kind: 'ConfigMap', data: { a: '1' } })
    expect(await kubectl.run(['get', 'cm', 'made', '-o', 'yaml'])).toContain('data:\n  a: "1"\n')
    expect(await kubectl.run(['get', 'cm', 'made', '-o', 'jsonpath={.data.a}'])).toBe('1')
    expect(await kubectl.run(['describe', 'cm', 'made'])).toContain('made')
    const again = await kubectl.try(['create', 'configmap', 'made'])
    expect(again).toMatchObject({ code: 1, stderr: 'error: failed to create configmap: configmaps "made" already exists\n' })
    expect(await kubectl.run(['delete', 'cm', 'made'])).toMatch(/^configmap "made" deleted/)
    expect(await kubectl.try(['get', 'cm', 'made'])).toMatchObject({
      code: 1,
      stderr: 'Error from server (NotFound): configmaps "made" not found\n',
    })
  })

  test('secrets', async () => {
    await kubectl.run(['create', 'secret', 'generic', 'hidden', '--from-literal=password=s3cret'])
    expect(await kubectl.run(['get', 'secret', 'hidden'])).toMatch(/^NAME +TYPE +DATA +AGE\nhidden +Opaque +1 /)
    expect(await kubectl.run(['get', 'secret', 'hidden', '-o', 'jsonpath={.data.password}'])).toBe('czNjcmV0')
  })

  test('apply twice with a change, and diff between', async () => {
    expect(await kubectl.run(['apply', '-f', '-'], { input: configMap('applied', 'one') })).toBe('configmap/applied created\n')
    expect(await kubectl.run(['apply', '-f', '-'], { input: configMap('applied', 'one') })).toBe('configmap/applied unchanged\n')
    const diff = await kubectl.try(['diff', '-f', '-'], { input: configMap('applied', 'two') })
    expect(diff).toMatchObject({ code: 1, stderr: '' })
    expect(diff.stdout).toMatch(/^-  key: one$/m)
    expect(diff.stdout).toMatch(/^\+  key: two$/m)
    expect(await kubectl.run(['apply', '-f', '-'], { input: configMap('applied', 'two') })).toBe('configmap/applied configured\n')
    expect(await kubectl.run(['get', 'cm', 'applied', '-o', 'jsonpath={.data.key}'])).toBe('two')
    expect(await kubectl.try(['diff', '-f', '-'], { input: configMap('applied', 'two') })).toMatchObject({ code: 0, stdout: '' })
  })

  test('a wrong field is refused by server-side validation', async () => {
    const { code, stderr } = await kubectl.try(['apply', '-f', '-'], { input: `${configMap('wrong', 'x')}bogus: 1\n` })
    expect(code).toBe(1)
    expect(stderr).toContain('unknown field "bogus"')
  })

  test('label, annotate, patch in three ways', async () => {
    await kubectl.run(['create', 'configmap', 'changed', '--from-literal=a=1'])
    await kubectl.run(['label', 'cm', 'changed', 'tier=front'])
    await kubectl.run(['annotate', 'cm', 'changed', 'note=hello'])
    await kubectl.run(['patch', 'cm', 'changed', '-p', '{"data":{"b":"2"}}'])
    await kubectl.run(['patch', 'cm', 'changed', '--type=merge', '-p', '{"data":{"a":null}}'])
    await kubectl.run(['patch', 'cm', 'changed', '--type=json', '-p', '[{"op":"add","path":"/data/c","value":"3"}]'])
    expect(JSON.parse(await kubectl.run(['get', 'cm', '-l', 'tier=front', '-o', 'json'])).items[0]).toMatchObject({
      metadata: { annotations: { note: 'hello' }, labels: { tier: 'front' } },
      data: { b: '2', c: '3' },
    })
  })

  test('edit', async () => {
    await kubectl.run(['create', 'configmap', 'edited', '--from-literal=a=before'])
    const editor = path.join(scratch, 'editor.sh')
    await writeFile(editor, '#!/bin/sh\nsed -i s/before/after/ "$1"\n', { mode: 0o755 })
    expect(await kubectl.run(['edit', 'cm', 'edited'], { environment: { KUBE_EDITOR: editor } })).toBe('configmap/edited edited\n')
    expect(await kubectl.run(['get', 'cm', 'edited', '-o', 'jsonpath={.data.a}'])).toBe('after')
  })

  test('get -w sees changes live', async () => {
    const watch = kubectl.start(['get', 'cm', '-w', '--output-watch-events', '-l', 'watched=yes'])
    try {
      await kubectl.run(['apply', '-f', '-'], {
        input: configMap('live', 'one').replace('name: live', 'name: live\n  labels: {watched: "yes"}'),
      })
      await watch.until('ADDED')
      await kubectl.run(['patch', 'cm', 'live', '--type=merge', '-p', '{"data":{"second":"2"}}'])
      await watch.until('MODIFIED')
      await kubectl.run(['delete', 'cm', 'live'])
      await watch.until('DELETED')
      expect(
        watch
          .lines()
          .slice(1)
          .map((line) => line.split(/ +/).slice(0, 3)),
      ).toEqual([
        ['ADDED', 'live', '1'],
        ['MODIFIED', 'live', '2'],
        ['DELETED', 'live', '2'],
      ])
    } finally {
      watch.child.kill()
    }
  })

  test('pods', async () => {
    await kubectl.run(['apply', '-f', '-'], { input: pod('web', 'nginx:1.27') })
    expect(await kubectl.run(['get', 'pods'])).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\nweb +0\/1 +Pending +0 +\d+s\n$/)
    expect(await kubectl.run(['get', 'pods', '-o', 'wide'])).toMatch(/NODE +NOMINATED NODE +READINESS GATES/)
    expect(await kubectl.run(['apply', '-f', '-'], { input: pod('web', 'nginx:1.28') })).toBe('pod/web configured\n')
    expect(await kubectl.run(['describe', 'pod', 'web'])).toContain('nginx:1.28')
    expect(await kubectl.run(['delete', 'pod', 'web', '--timeout=20s'])).toMatch(/^pod "web" deleted/)
  })

  test('explain reads the schema', async () => {
    expect(await kubectl.run(['explain', 'pods.spec.containers'])).toMatch(/FIELD: containers <\[\]Container>/)
  })

  test('a namespace is made with its account and root CA, and goes away with what is in it', async () => {
    await kubectl.run(['create', 'namespace', 'short-lived'])
    await kubectl.run(['create', 'configmap', 'inside', '-n', 'short-lived'])
    await kubectl.run(['apply', '-n', 'short-lived', '-f', '-'], { input: pod('inside', 'nginx') })
    await expect
      .poll(() => kubectl.try(['get', 'sa/default', 'cm/kube-root-ca.crt', '-n', 'short-lived']).then(({ code }) => code), {
        timeout: 10_000,
      })
      .toBe(0)
    expect(await kubectl.run(['delete', 'ns', 'short-lived', '--timeout=30s'])).toMatch(/^namespace "short-lived" deleted/)
    expect(await kubectl.try(['get', 'ns', 'short-lived'])).toMatchObject({ code: 1 })
    expect(await kubectl.run(['get', 'cm,pods', '-A'])).not.toContain('short-lived')
  })

  test('nobody in particular is refused', async () => {
    const refused = await kubectl.try([
      'get',
      'cm',
      '--token=alicetoken',
      `--server=${server.url}`,
      '--insecure-skip-tls-verify',
      '--kubeconfig=/dev/null',
    ])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toBe(
      'Error from server (Forbidden): configmaps is forbidden: User "alice" cannot list resource "configmaps" in API group "" in the namespace "default"\n',
    )
  })
})
