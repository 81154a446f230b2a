import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { buildGoDirectory } from '../real-parts/build-go-directory.ts'
import { findKubectl } from '../real-parts/find-kubectl.ts'
import { serverEntry } from '../repository-root.ts'

const program = await buildGoDirectory({ subject: 'envtest', name: 'envtest-program', url: new URL('envtest-program/', import.meta.url) })
const kubectl = findKubectl()
const directory = mkdtempSync(path.join(os.tmpdir(), 'keelson-envtest-'))
afterAll(() => rmSync(directory, { recursive: true, force: true }))

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: { spec: { type: 'object', properties: { size: { type: 'integer' }, color: { type: 'string', default: 'red' } } } },
          },
        },
      },
    ],
  },
}

interface Report {
  readonly startMilliseconds: readonly number[]
  readonly stopMilliseconds: readonly number[]
}

test.skipIf(program === undefined || kubectl === undefined)(
  'envtest of controller-runtime runs on the assets: definitions, users, kubectl, namespaces that end, and garbage collection',
  { timeout: 180_000 },
  async () => {
    const assets = path.join(directory, 'assets')
    await promisify(execFile)(process.execPath, [serverEntry, 'envtest-assets', assets, `--kubectl=${kubectl}`])
    const definitions = path.join(directory, 'definitions')
    writeFileSync(`${definitions}.json`, JSON.stringify(definition))
    const { stdout } = await promisify(execFile)(program!, [`${definitions}.json`], {
      env: { ...process.env, KUBEBUILDER_ASSETS: assets, KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: '60s' },
    })
    const report = JSON.parse(stdout) as Report
    expect(report).toMatchObject({
      widgetColor: 'red',
      namespaceEnded: true,
      dependentDeleted: true,
      userForbidden: true,
      kubectlOutput: 'widget.example.com/w\n',
    })
    process.stdout.write(
      `envtest starts in ${report.startMilliseconds.join(', ')} ms and stops in ${report.stopMilliseconds.join(', ')} ms\n`,
    )
  },
)
