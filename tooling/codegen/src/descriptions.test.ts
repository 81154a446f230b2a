import { describe, expect, it } from 'vitest'
import { findTextProblems } from './check-description.ts'
import { compileDescriptions, listDescribedItems, listUnknownItems, readDescriptions } from './descriptions.ts'
import type { DescribedItem, GroupTexts } from './descriptions.ts'
import { readFacts } from './facts-files.ts'
import { makeModel } from './model.ts'
import { descriptionsFolder, factsFolder } from './paths.ts'

const model = makeModel(readFacts(factsFolder))
const texts = readDescriptions(descriptionsFolder)
const items = listDescribedItems(model, texts)
const format = ({ group, type, field }: DescribedItem): string => `${group} ${type}${field === '' ? '' : `.${field}`}`

describe('descriptions', () => {
  it('exist for every type and field of the served versions', () => {
    expect(items.length).toBeGreaterThan(3_400)
    expect(items.filter(({ text }) => text === undefined).map(format)).toEqual([])
  })

  it('exist only for types and fields that exist', () => {
    expect(listUnknownItems(model, texts)).toEqual([])
  })

  it('are short sentences that say more than the name, with units and defaults', () => {
    expect(items.flatMap((item) => findTextProblems(item).map((problem) => `${format(item)} ${problem}`))).toEqual([])
  })

  it('include the fields of inlined types, of types they refer to, and differences of versions', () => {
    const written = new Map<string, GroupTexts>([
      [
        'core',
        {
          ContainerPort: { '': 'A port.', hostPort: 'A port of the node.', protocol: 'TCP or UDP.' },
          Volume: { '': 'A volume.', nfs: 'Its own text.' },
          VolumeSource: { '': 'Unused.', emptyDir: 'An empty directory.', nfs: 'Replaced.' },
        },
      ],
      [
        'discovery',
        {
          Endpoint: { '': 'An endpoint.', nodeName: 'A node.' },
          EndpointPort: { '': 'Another port.', '=': 'core.ContainerPort' },
          'v1beta1.Endpoint': { nodeName: 'Another node.' },
        },
      ],
    ])
    const lines = compileDescriptions(model, written)
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(lines).toEqual([
      ['io.k8s.api.core.ContainerPort', 'A port.', { hostPort: 'A port of the node.', protocol: 'TCP or UDP.' }],
      ['io.k8s.api.core.Volume', 'A volume.', { emptyDir: 'An empty directory.', nfs: 'Its own text.' }],
      ['io.k8s.api.core.VolumeSource', 'Unused.', { emptyDir: 'An empty directory.', nfs: 'Replaced.' }],
      ['io.k8s.api.discovery.Endpoint', 'An endpoint.', { nodeName: 'A node.' }],
      ['io.k8s.api.discovery.EndpointPort', 'Another port.', { protocol: 'TCP or UDP.' }],
      ['io.k8s.api.discovery.v1beta1.Endpoint', 'An endpoint.', { nodeName: 'Another node.' }],
    ])
  })
})

describe('the check of a description', () => {
  const check = (field: string, text: string, value?: unknown): string[] =>
    findTextProblems({ group: 'core', type: 'v1.Probe', field, text, facts: { n: 1, t: 'int32', default: value } })

  it('rejects texts that repeat the name', () => {
    expect(check('periodSeconds', 'The period in seconds of the probe.')).toEqual(['only repeats the name'])
    expect(check('periodSeconds', 'Seconds between two runs of the probe, at least 1.')).toEqual([])
  })

  it('requires units and defaults', () => {
    expect(check('periodSeconds', 'Time between two runs, at least 1.', 10)).toEqual([
      'does not name the unit second',
      'does not name the default 10',
    ])
  })

  it('rejects long texts, and texts that are no sentences', () => {
    expect(check('exec', `Runs a command in the container ${'x'.repeat(400)}`)).toEqual([
      'has 432 characters, and at most 400 are allowed',
      'is not a sentence',
    ])
  })
})
