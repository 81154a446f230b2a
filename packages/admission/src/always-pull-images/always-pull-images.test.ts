import type { Container, Pod, PodSpec } from '@keelson/api/core/v1'
import { expect, it } from 'vitest'
import { admitted, update, write } from '../plugin.fixture.ts'
import { alwaysPullImages } from './index.ts'

const plugin = alwaysPullImages()
const container = (image: string, imagePullPolicy?: string): Container => ({
  name: image,
  image,
  ...(imagePullPolicy !== undefined && { imagePullPolicy }),
})
const pod = (spec: PodSpec): Pod => ({ metadata: { name: 'p' }, spec })

it('sets the pull policy of all containers and image volumes', async () => {
  const spec: PodSpec = {
    initContainers: [container('init', 'Never')],
    containers: [container('a', 'IfNotPresent'), container('b')],
    ephemeralContainers: [container('debug', 'Never')],
    volumes: [
      { name: 'v', image: { reference: 'r', pullPolicy: 'Never' } },
      { name: 'e', emptyDir: {} },
    ],
  }
  expect((await admitted<Pod>(plugin, write('pods', pod(spec)))).spec).toEqual({
    initContainers: [container('init', 'Always')],
    containers: [container('a', 'Always'), container('b', 'Always')],
    ephemeralContainers: [container('debug', 'Always')],
    volumes: [
      { name: 'v', image: { reference: 'r', pullPolicy: 'Always' } },
      { name: 'e', emptyDir: {} },
    ],
  })
})

it('does not change updates without new images', async () => {
  const old = pod({ containers: [container('a', 'Never'), container('b', 'Never')] })
  const same = pod({ containers: [container('b', 'Never'), container('b', 'Never')] })
  expect(await admitted(plugin, update('pods', old, structuredClone(same)))).toEqual(same)
  const other = pod({ containers: [container('c', 'Never'), container('b', 'Never')] })
  expect(await admitted(plugin, update('pods', old, other))).toEqual(
    pod({ containers: [container('c', 'Always'), container('b', 'Always')] }),
  )
})

it('rejects other policies that a later plugin sets, and lists all of them', () => {
  const forbidden = 'pods "p" is forbidden: spec'
  const unsupported = 'Unsupported value: "Never": supported values: "Always"'
  const validate = (spec: PodSpec) => () => plugin.validate?.(write('pods', pod(spec)))
  const one = `${forbidden}.containers[0].imagePullPolicy: ${unsupported}`
  expect(validate({ containers: [container('a', 'Never')] })).toThrow(expect.objectContaining({ code: 500, message: one }))
  const volumes = [{ name: 'v', image: { pullPolicy: 'Never' } }]
  expect(validate({ containers: [container('a', 'Never')], volumes })).toThrow(
    expect.objectContaining({ message: `[${one}, ${forbidden}.volumes[0].image.pullPolicy: ${unsupported}]` }),
  )
})
