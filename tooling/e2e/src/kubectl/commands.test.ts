import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { type KeelsonProcess, startKeelsonProcess } from '../keelson-process.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { Kubectl } from './kubectl.ts'
import { Session } from './session.ts'
import type { Topic } from './topic.ts'
import { access } from './topics/access.ts'
import { apply } from './topics/apply.ts'
import { create } from './topics/create.ts'
import { customResources } from './topics/custom-resources.ts'
import { describing } from './topics/describe.ts'
import { discovery } from './topics/discovery.ts'
import { edit } from './topics/edit.ts'
import { get } from './topics/get.ts'
import { nodes } from './topics/nodes.ts'
import { patch } from './topics/patch.ts'
import { rollout } from './topics/rollout.ts'
import { run } from './topics/run.ts'
import { scale } from './topics/scale.ts'
import { serverSideApply } from './topics/server-side-apply.ts'
import { set } from './topics/set.ts'

const topics: Readonly<Record<string, Topic>> = {
  get,
  describe: describing,
  discovery,
  create,
  run,
  apply,
  'server-side apply': serverSideApply,
  edit,
  patch,
  set,
  scale,
  rollout,
  nodes,
  access,
  'custom resources': customResources,
}

const binary = findKubectl()

/** Runs all scenarios concurrently on one server, each in its own namespace. */
describe.skipIf(binary === undefined).concurrent('kubectl, command by command', { timeout: 90_000 }, () => {
  let server: KeelsonProcess
  let scratch: string
  let admin: Kubectl
  let config: { contexts: { context: { namespace?: string } }[] }
  let sessions = 0

  beforeAll(async () => {
    scratch = await mkdtemp(path.join(os.tmpdir(), 'keelson-commands-'))
    server = await startKeelsonProcess()
    admin = new Kubectl(binary ?? '', server, scratch)
    // Fills the shared discovery cache of kubectl.
    await admin.run(['api-resources'])
    config = JSON.parse(await admin.run(['config', 'view', '--raw', '-o', 'json'])) as typeof config
  })
  afterAll(async () => {
    await server.stop()
    await rm(scratch, { recursive: true, force: true })
  })

  async function open(): Promise<Session> {
    const namespace = `session-${++sessions}`
    const directory = path.join(scratch, namespace)
    await Promise.all([mkdir(directory), admin.run(['create', 'namespace', namespace])])
    const kubeconfig = path.join(directory, 'kubeconfig')
    const contexts = config.contexts.map((item) => ({ ...item, context: { ...item.context, namespace } }))
    await writeFile(kubeconfig, JSON.stringify({ ...config, contexts }))
    // The editor is a script that the session writes. kubectl's temporary files are in the directory too, so that they are removed with it.
    const place = { directory, environment: { KUBE_EDITOR: './editor.sh', TMPDIR: directory } }
    return new Session(new Kubectl(binary ?? '', { kubeconfig }, scratch, place), namespace, directory)
  }

  describe.each(Object.entries(topics))('%s', (_topic, scenarios) => {
    test.each(Object.entries(scenarios))('%s', async (_name, scenario) => {
      const session = await open()
      await (typeof scenario === 'function' ? scenario(session) : session.play(...scenario))
    })
  })
})
