import type { JsonObject } from '@keelson/apimachinery'
import { namespace } from '../cases/case.ts'
import type { Step } from '../cases/case.ts'
import { oddNumbers } from '../cases/odd-values.ts'
import { createRandomValue } from '../cases/random-value.ts'
import type { Random } from '../cases/random.ts'
import { formatCollectionPath, createSubjectExample, mayPersist, formatObjectName, formatObjectPath } from '../cases/subjects.ts'
import type { Subject } from '../cases/subjects.ts'
import { accepts } from './accepts.ts'
import { createRandomBinding, createRandomEviction, createRandomTokenRequest } from './subresource-bodies.ts'
import { createRandomWrite } from './patches.ts'
import { withQuery } from './scenario.ts'
import type { Scenario } from './scenario.ts'

/** Subresources that accept objects and need no kubelet. */
const testedSubresources = new Set(['status', 'scale', 'ephemeralcontainers', 'resize', 'binding', 'eviction', 'token', 'approval'])

/** Scenario that writes and reads a subresource, then reads the object. */
export const subresource: Scenario = {
  name: 'subresource',
  weight: 12,
  suits: (subject) => mayPersist(subject) && subject.subresources.some((name) => testedSubresources.has(name)),
  steps: (random, subject) => {
    const body = createSubjectExample(random, subject, 'one')
    const path = formatObjectPath(subject, 'one')
    const name = random.pick(subject.subresources.filter((name) => testedSubresources.has(name)))
    const steps: Step[] = [{ method: 'POST', path: formatCollectionPath(subject), body }]
    for (let remaining = random.pick([1, 1, 2, 3]); remaining > 0; remaining--)
      steps.push(step(random, subject, `${path}/${name}`, name, body))
    return [...steps, { method: 'GET', path }]
  },
}

function step(random: Random, subject: Subject, path: string, name: string, body: JsonObject): Step {
  if (random.chance(0.1)) return { method: 'GET', path, headers: { accept: random.pick(accepts) } }
  const metadata = { name: formatObjectName(subject, random.chance(0.95) ? 'one' : 'two'), ...(subject.namespaced && { namespace }) }
  switch (name) {
    case 'status': {
      const field = subject.schema.byName.get('status')
      const status = field === undefined ? {} : createRandomValue(random, field.type, 'status', 0)
      const write = createRandomWrite(random, subject, path, { ...body, status })
      return write.method === 'PUT' || random.chance(0.5) ? write : { ...write, headers: merge, body: { status } }
    }
    case 'scale': {
      const spec = { replicas: random.pick([...oddNumbers, 2, null, '2']) }
      if (random.chance(0.5)) return { method: 'PATCH', path, headers: merge, body: { spec } }
      return {
        method: 'PUT',
        path,
        body: { apiVersion: random.pick(['autoscaling/v1', 'autoscaling/v1', 'v1']), kind: 'Scale', metadata, spec },
      }
    }
    case 'binding':
      return { method: 'POST', path: withWriteOptions(random, path), body: createRandomBinding(random, metadata) }
    case 'eviction':
      return { method: 'POST', path: withWriteOptions(random, path), body: createRandomEviction(random, metadata) }
    case 'token':
      return { method: 'POST', path: withWriteOptions(random, path), body: createRandomTokenRequest(random, metadata) }
    default:
      return createRandomWrite(random, subject, path, body)
  }
}

function withWriteOptions(random: Random, path: string): string {
  return withQuery(path, {
    dryRun: random.pick([undefined, undefined, undefined, undefined, 'All', 'Bogus']),
    fieldValidation: random.pick([undefined, undefined, undefined, 'Strict', 'Warn', 'Bogus']),
    fieldManager: random.pick([undefined, undefined, undefined, 'two']),
  })
}

const merge = { 'content-type': 'application/merge-patch+json' }
