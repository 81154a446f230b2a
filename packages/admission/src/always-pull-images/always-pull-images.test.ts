import type { Container, Pod, PodSpec } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { admitObject, update, write } from '../plugin.fixture.ts'
import { createAlwaysPullImagesPlugin } from './index.ts'

const plugin = createAlwaysPullImagesPlugin()
const createContainer = (image: string, imagePullPolicy?: string): Container => ({
  name: image,
  image,
  ...(imagePullPolicy !== undefined && { imagePullPolicy }),
})
const createPod = (spec: PodSpec): Pod => ({ metadata: { name: 'p' }, spec })

it('sets the pull policy of all containers and image volumes', async () => {
  const spec: PodSpec = {
    initContainers: [createContainer('init', 'Never')],
    containers: [createContainer('a', 'IfNotPresent'), createContainer('b')],
    ephemeralContainers: [createContainer('debug', 'Never')],
    volumes: [
      { name: 'v', image: { reference: 'r', pullPolicy: 'Never' } },
      { name: 'e', emptyDir: {} },
    ],
  }
  expect((await admitObject<Pod>(plugin, write('pods', createPod(spec)))).spec).toEqual({
    initContainers: [createContainer('init', 'Always')],
    containers: [createContainer('a', 'Always'), createContainer('b', 'Always')],
    ephemeralContainers: [createContainer('debug', 'Always')],
    volumes: [
      { name: 'v', image: { reference: 'r', pullPolicy: 'Always' } },
      { name: 'e', emptyDir: {} },
    ],
  })
})

it('does not change updates without new images', async () => {
  const old = createPod({ containers: [createContainer('a', 'Never'), createContainer('b', 'Never')] })
  const same = createPod({ containers: [createContainer('b', 'Never'), createContainer('b', 'Never')] })
  expect(await admitObject(plugin, update('pods', old, structuredClone(same)))).toEqual(same)
  const other = createPod({ containers: [createContainer('c', 'Never'), createContainer('b', 'Never')] })
  expect(await admitObject(plugin, update('pods', old, other))).toEqual(
    createPod({ containers: [createContainer('c', 'Always'), createContainer('b', 'Always')] }),
  )
})

it('rejects other policies that a later plugin sets, and lists all of them', () => {
  const forbidden = 'pods "p" is forbidden: spec'
  const unsupported = 'Unsupported value: "Never": supported values: "Always"'
  const validate = (spec: PodSpec) => () => plugin.validate?.(write('pods', createPod(spec)))
  const one = `${forbidden}.containers[0].imagePullPolicy: ${unsupported}`
  expect(validate({ containers: [createContainer('a', 'Never')] })).toThrow(expect.objectContaining({ code: 500, message: one }))
  const volumes = [{ name: 'v', image: { pullPolicy: 'Never' } }]
  expect(validate({ containers: [createContainer('a', 'Never')], volumes })).toThrow(
    expect.objectContaining({ message: `[${one}, ${forbidden}.volumes[0].image.pullPolicy: ${unsupported}]` }),
  )
})
