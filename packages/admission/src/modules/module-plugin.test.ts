import { newInvalid } from '@keelson/apimachinery'
import { describe, expect, it, vi } from 'vitest'
import type { AdmissionAttributes, AdmissionOperation } from '../admission.ts'
import { createAdmissionChain } from '../create-admission-chain.ts'
import { update, write } from '../plugin.fixture.ts'
import type { Plural } from '../plugin.fixture.ts'
import type { AdmissionModule } from './admission-module.ts'
import { createModulePlugin } from './module-plugin.ts'

const createObject = () => ({ metadata: { name: 'x' } })
const runBothPhases = async (
  module: AdmissionModule,
  attributes: AdmissionAttributes,
  onError?: (error: unknown) => void,
): Promise<void> => {
  const chain = createAdmissionChain([createModulePlugin(module, onError && { onError })])
  await chain.admit(attributes)
  await chain.validate(attributes)
}

it('changes and checks the objects of its resources, and sends warnings', async () => {
  const module: AdmissionModule = {
    name: 'Teams',
    resources: {
      configmaps: {
        admit({ object: { metadata }, user }) {
          metadata.labels = { team: user.name }
        },
        async validate({ object: { metadata }, warn, name }) {
          await Promise.resolve()
          warn(`${name} belongs to ${metadata.labels?.['team']}`)
        },
      },
    },
  }
  const attributes = write('configmaps', createObject())
  await runBothPhases(module, attributes)
  expect(attributes.object!.metadata.labels).toEqual({ team: attributes.context.user.name })
  expect(attributes.warnings).toEqual([`x belongs to ${attributes.context.user.name}`])
  const other = write('pods', createObject())
  await runBothPhases(module, other)
  expect(other.object!.metadata.labels).toBeUndefined()
})

it.each<[Plural, string, AdmissionOperation, readonly string[]]>([
  ['pods', '', 'CREATE', ['pods admit', 'pods validate']],
  ['pods', '', 'UPDATE', ['pods admit', 'pods validate']],
  ['pods', '', 'DELETE', ['pods validateDelete']],
  ['pods', 'exec', 'CONNECT', ['pods/exec validate']],
  ['pods', 'status', 'UPDATE', ['* admit', '* validate']],
  ['deployments', '', 'CREATE', ['deployments.apps admit']],
  ['services', '', 'DELETE', ['* validateDelete']],
])('calls the functions for %s %s %s', async (plural, subresource, operation, expected) => {
  const called: string[] = []
  const record = (name: string) => () => void called.push(name)
  const createHooks = (name: string) => ({
    admit: record(`${name} admit`),
    validate: record(`${name} validate`),
    validateDelete: record(`${name} validateDelete`),
  })
  const module: AdmissionModule = {
    name: 'All',
    resources: {
      pods: createHooks('pods'),
      'pods/exec': { validate: record('pods/exec validate') },
      'deployments.apps': { admit: record('deployments.apps admit') },
      '*': createHooks('*'),
    },
  }
  await runBothPhases(module, write(plural, createObject(), { subresource, operation }))
  expect(called).toEqual(expected)
})

it('gives a module the same attributes as a plugin', async () => {
  const seen: unknown[] = []
  const annotations: string[] = []
  const attributes = update(
    'configmaps',
    createObject(),
    { metadata: { name: 'x', labels: { a: 'b' } } },
    {
      dryRun: true,
      annotate: (key, value) => void annotations.push(`${key}=${value}`),
    },
  )
  await runBothPhases(
    {
      name: 'Spy',
      resources: {
        configmaps: {
          validate({ operation, object: changed, oldObject, context, kind, resource, namespace, name, dryRun, options, as, annotate }) {
            seen.push(operation, changed, oldObject, context, kind, resource, namespace, name, dryRun, options, as(kind))
            annotate('example.com/seen', 'yes')
          },
        },
      },
    },
    attributes,
  )
  const { operation, object: changed, oldObject, context, kind, resource, namespace, name, dryRun, options } = attributes
  expect(seen).toEqual([operation, changed, oldObject, context, kind, resource, namespace, name, dryRun, options, attributes.as(kind)])
  expect(annotations).toEqual(['example.com/seen=yes'])
})

describe('a function that throws', () => {
  const createThrowingModule = (error: unknown, isAsync = false): AdmissionModule => {
    const fail = (): never => {
      throw error
    }
    return { name: 'Picky', resources: { configmaps: { validate: isAsync ? async () => fail() : fail } } }
  }

  it('rejects the write with 403, and with any other API error', async () => {
    const module: AdmissionModule = {
      name: 'Picky',
      resources: {
        configmaps: {
          validate({ forbidden }) {
            throw forbidden('not here')
          },
        },
      },
    }
    const message = 'configmaps "x" is forbidden: not here'
    await expect(runBothPhases(module, write('configmaps', createObject()))).rejects.toMatchObject({ code: 403, message })
    const invalid = newInvalid({ group: '', kind: 'ConfigMap' }, 'x', [])
    await expect(runBothPhases(createThrowingModule(invalid), write('configmaps', createObject()))).rejects.toBe(invalid)
  })

  it.each([false, true])('is a 500 that names the module and hides the error (asynchronous: %s)', async (isAsync) => {
    const errors: unknown[] = []
    const bug = new TypeError('secret detail')
    await expect(
      runBothPhases(createThrowingModule(bug, isAsync), write('configmaps', createObject()), (error) => errors.push(error)),
    ).rejects.toMatchObject({
      code: 500,
      message: 'Internal error occurred: admission module "Picky" failed',
      cause: bug,
    })
    expect(errors).toEqual([bug])
  })
})

it('does not wait beyond the end of the request', async () => {
  const controller = new AbortController()
  const attributes = write('configmaps', createObject())
  const module: AdmissionModule = { name: 'Slow', resources: { configmaps: { admit: () => new Promise(() => {}) } } }
  const onError = vi.fn()
  const pending = runBothPhases(module, { ...attributes, context: { ...attributes.context, signal: controller.signal } }, onError)
  controller.abort(new Error('deadline'))
  await expect(pending).rejects.toThrow('deadline')
  expect(onError).not.toHaveBeenCalled()
})

it('is called only for the phases and resources of the module', () => {
  const plugin = createModulePlugin({
    name: 'A',
    resources: { pods: { admit() {} }, 'deployments.apps': { validateDelete() {} } },
  })
  expect(plugin).toMatchObject({ name: 'A', resources: ['pods', 'deployments.apps'] })
  expect(createModulePlugin({ name: 'B', resources: { '*': { admit() {} } } })).not.toHaveProperty('resources')
  expect(createModulePlugin({ name: 'B', resources: { pods: { admit() {} } } })).not.toHaveProperty('validate')
  expect(createModulePlugin({ name: 'B', resources: { pods: { validateDelete() {} } } })).not.toHaveProperty('admit')
})
