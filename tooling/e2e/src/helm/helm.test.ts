import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpsClient } from '../https-client.ts'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { findHelm } from '../real-parts/find-helm.ts'
import { Helm } from './helm.ts'
import { startStandInControllers } from './stand-in-controllers.ts'

const binary = await findHelm()
const chart = fileURLToPath(new URL('chart', import.meta.url))

interface Revision {
  readonly revision: number
  readonly status: string
  readonly description: string
}
interface Release {
  readonly name: string
  readonly revision: string
  readonly status: string
}
interface Found {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly managedFields?: readonly { readonly manager: string; readonly operation: string }[] }
  readonly data: Readonly<Record<string, string>>
  readonly spec: { readonly replicas: number }
  readonly items: readonly Found[]
}

describe.skipIf(binary === undefined)('helm', { timeout: 90_000 }, () => {
  let server: KeelsonProcess
  let client: HttpsClient
  let helm: Helm
  let home: string
  let controllers: AsyncDisposable

  beforeAll(async () => {
    home = await mkdtemp(path.join(os.tmpdir(), 'keelson-helm-'))
    server = await startKeelsonProcess()
    client = new HttpsClient(server.url, server.token)
    helm = new Helm(binary ?? '', server, home)
    controllers = startStandInControllers(client)
  })
  afterAll(async () => {
    await controllers[Symbol.asyncDispose]()
    client[Symbol.dispose]()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  const get = async (subject: string, namespace = 'shops'): Promise<Found> => {
    const [group, resource] = subject.split(':') as [string, string]
    const root = group === 'v1' ? '/api/v1' : `/apis/${group}`
    return (await client.request('GET', `${root}/namespaces/${namespace}/${resource}`)).parseJson<Found>()
  }
  const put = (path: string, body: object, manager: string) =>
    client.request('PATCH', `${path}?fieldManager=${manager}&force=true`, {
      body,
      headers: { 'content-type': 'application/apply-patch+yaml' },
    })
  const readHistory = async (): Promise<readonly string[]> =>
    (await helm.json<Revision[]>('history', 'shop', '-n', 'shops')).map(({ revision, status }) => `${revision} ${status}`)

  const everything: readonly [string, string][] = [
    ['v1:configmaps/shop', 'ConfigMap'],
    ['v1:services/shop', 'Service'],
    ['v1:serviceaccounts/shop', 'ServiceAccount'],
    ['apps/v1:deployments/shop', 'Deployment'],
    ['networking.k8s.io/v1:ingresses/shop', 'Ingress'],
    ['rbac.authorization.k8s.io/v1:roles/shop', 'Role'],
    ['rbac.authorization.k8s.io/v1:rolebindings/shop', 'RoleBinding'],
  ]
  const listFoundKinds = (): Promise<string[]> => Promise.all(everything.map(async ([what]) => (await get(what)).kind))

  test('install with dry run sends requests to the server and creates nothing', async () => {
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'shop-settings' }, data: { colour: 'green' } }
    await put('/api/v1/namespaces/default/configmaps/shop-settings', settings, 'owner')
    const shown = await helm.run('install', 'shop', chart, '--dry-run=server')
    expect(shown).toContain('colour: "green"')
    expect(shown).toContain('capabilities: "true"')
    expect(await get('v1:configmaps/shop', 'default')).toMatchObject({ kind: 'Status', code: 404 })
    expect((await get('v1:secrets?labelSelector=owner%3Dhelm', 'default')).items).toEqual([])
  })

  test('install creates the namespace and waits until all objects are ready', async () => {
    const notes = await helm.run('install', 'shop', chart, '-n', 'shops', '--create-namespace', '--wait', '--timeout=30s')
    expect(notes).toContain('shop greets with hello.')
    expect(await listFoundKinds()).toEqual(everything.map(([, kind]) => kind))
    expect((await get('v1:configmaps/shop')).data).toEqual({ greeting: 'hello', colour: 'unknown', revision: '1', capabilities: 'true' })
    const deployment = await get('apps/v1:deployments/shop')
    expect(deployment).toMatchObject({ spec: { replicas: 2 }, status: { readyReplicas: 2 } })
    expect(deployment.metadata.managedFields).toContainEqual(expect.objectContaining({ manager: 'helm', operation: 'Apply' }))
    expect((await get('v1:secrets?labelSelector=owner%3Dhelm%2Cname%3Dshop')).items).toMatchObject([
      { metadata: { name: 'sh.helm.release.v1.shop.v1', labels: { status: 'deployed' } }, type: 'helm.sh/release.v1' },
    ])
  })

  test('list, status and get show the release', async () => {
    expect(await helm.json<Release[]>('list', '-A')).toMatchObject([
      { name: 'shop', namespace: 'shops', revision: '1', status: 'deployed' },
    ])
    expect(await helm.run('status', 'shop', '-n', 'shops')).toMatch(/STATUS: deployed/)
    expect(await helm.run('get', 'manifest', 'shop', '-n', 'shops')).toContain('kind: RoleBinding')
    expect(await helm.try('install', 'shop', chart, '-n', 'shops')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('cannot reuse a name that is still in use'),
    })
  })

  test('upgrade changes only the differences', async () => {
    const before = await get('v1:services/shop')
    await helm.run('upgrade', 'shop', chart, '-n', 'shops', '--set=greeting=goodbye,replicas=3,hook=true', '--wait', '--timeout=30s')
    expect((await get('v1:configmaps/shop')).data).toMatchObject({ greeting: 'goodbye', revision: '2' })
    expect(await get('apps/v1:deployments/shop')).toMatchObject({ spec: { replicas: 3 }, status: { readyReplicas: 3 } })
    expect(await get('v1:services/shop')).toEqual(before)
    // The hook ran and was deleted after it had succeeded.
    expect((await get('batch/v1:jobs')).items).toEqual([])
    expect(await readHistory()).toEqual(['1 superseded', '2 deployed'])
  })

  test('takes over a field of another applier only with force', async () => {
    const applied = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'shop' }, spec: { replicas: 7 } }
    expect((await put('/apis/apps/v1/namespaces/shops/deployments/shop', applied, 'scaler')).status).toBe(200)
    const refused = await helm.try('upgrade', 'shop', chart, '-n', 'shops', '--set=replicas=4')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('conflict with "scaler": .spec.replicas') })
    expect((await get('apps/v1:deployments/shop')).spec.replicas).toBe(7)
    await helm.run('upgrade', 'shop', chart, '-n', 'shops', '--set=replicas=4', '--force-conflicts')
    expect((await get('apps/v1:deployments/shop')).spec.replicas).toBe(4)
    expect(await readHistory()).toEqual(['1 superseded', '2 superseded', '3 failed', '4 deployed'])
  })

  test('rollback restores the previous revision', async () => {
    await helm.run('rollback', 'shop', '2', '-n', 'shops', '--wait', '--timeout=30s')
    expect((await get('v1:configmaps/shop')).data).toMatchObject({ greeting: 'goodbye', revision: '2' })
    expect((await get('apps/v1:deployments/shop')).spec.replicas).toBe(3)
    expect((await readHistory()).at(-1)).toBe('5 deployed')
  })

  test('upgrade restores the previous revision after a rejected change', async () => {
    const refused = await helm.try(
      'upgrade',
      'shop',
      chart,
      '-n',
      'shops',
      '--set=broken=true,greeting=never',
      '--rollback-on-failure',
      '--timeout=30s',
    )
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('spec.ports[0].name: Invalid value') })
    expect((await get('v1:configmaps/shop')).data).toMatchObject({ greeting: 'goodbye' })
    expect((await readHistory()).slice(-2)).toEqual(['6 failed', '7 deployed'])
  })

  test('upgrade restores the previous revision if the new one never becomes ready', async () => {
    const late = await helm.try('upgrade', 'shop', chart, '-n', 'shops', '--set=image=missing:1', '--rollback-on-failure', '--timeout=5s')
    expect(late.code).toBe(1)
    expect(JSON.stringify(await get('apps/v1:deployments/shop'))).toContain('nginx:1.27')
    expect((await readHistory()).slice(-2)).toEqual(['8 failed', '9 deployed'])
  })

  test('installs and upgrades with client-side apply', async () => {
    await helm.run('upgrade', '--install', 'old', chart, '-n', 'shops', '--server-side=false')
    await helm.run('upgrade', 'old', chart, '-n', 'shops', '--server-side=false', '--set=replicas=5,host=other.example')
    expect((await get('apps/v1:deployments/old')).spec.replicas).toBe(5)
    expect(JSON.stringify(await get('networking.k8s.io/v1:ingresses/old'))).toContain('other.example')
    await helm.run('uninstall', 'old', '-n', 'shops', '--wait')
  })

  test('does not modify existing objects outside the release', async () => {
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'found' }, data: { theirs: 'yes' } }
    await put('/api/v1/namespaces/shops/configmaps/found', theirs, 'owner')
    const refused = await helm.try('install', 'found', chart, '-n', 'shops')
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be imported into the current release') })
    expect((await get('v1:configmaps/found')).data).toEqual({ theirs: 'yes' })
  })

  test('uninstall deletes all objects', async () => {
    expect(await helm.run('uninstall', 'shop', '-n', 'shops', '--wait', '--timeout=30s')).toContain('release "shop" uninstalled')
    expect(await listFoundKinds()).toEqual(everything.map(() => 'Status'))
    expect((await get('v1:secrets?labelSelector=owner%3Dhelm%2Cname%3Dshop')).items).toEqual([])
    expect(await helm.json<Release[]>('list', '-n', 'shops')).toEqual([])
  })
})
