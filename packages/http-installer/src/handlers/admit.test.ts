import type { AdmissionAttributes, AdmissionChain } from '@keelson/registry'
import { expect, it } from 'vitest'
import { openTestServer } from '../test-server.fixture.ts'

const maps = '/api/v1/namespaces/a/configmaps'
const map = { metadata: { name: 'm' } }

it('admission sees each write twice (mutating and validating), with the options of its operation', async () => {
  const heard: string[] = []
  const hear = (half: string) => (attributes: AdmissionAttributes) => {
    const { operation, namespace, name, object, oldObject, dryRun, options } = attributes
    const objects = `${object ? 'new' : ''}${oldObject ? 'old' : ''}`
    heard.push(`${half} ${operation} ${namespace}/${name} ${objects}${dryRun ? ' dry' : ''} ${JSON.stringify(options)}`)
  }
  const admission: AdmissionChain = { handles: () => true, admit: hear('admit'), validate: hear('validate') }
  await using server = await openTestServer({ admission })
  await server.request('POST', `${maps}?dryRun=All&fieldValidation=Strict`, map)
  await server.request('POST', `${maps}?fieldManager=me`, map)
  await server.request('PUT', `${maps}/m`, { ...map, data: { a: '1' } })
  await server.request('PATCH', `${maps}/m`, { data: { b: '2' } }, { 'content-type': 'application/merge-patch+json' })
  await server.request('DELETE', `${maps}/m?gracePeriodSeconds=5`)
  const both = (text: string): string[] => [`admit ${text}`, `validate ${text}`]
  const options = (kind: string, more: string): string => `{"kind":"${kind}","apiVersion":"meta.k8s.io/v1",${more}}`
  expect(heard).toEqual([
    ...both(`CREATE a/m new dry ${options('CreateOptions', '"dryRun":["All"],"fieldValidation":"Strict"')}`),
    ...both(`CREATE a/m new ${options('CreateOptions', '"fieldManager":"me","fieldValidation":"Warn"')}`),
    ...both(`UPDATE a/m newold ${options('UpdateOptions', '"fieldValidation":"Warn"')}`),
    ...both(`UPDATE a/m newold ${options('UpdateOptions', '"fieldValidation":"Warn"')}`),
    ...both(`DELETE a/m old ${options('DeleteOptions', '"gracePeriodSeconds":5')}`),
  ])
})
