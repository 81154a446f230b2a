// Needs the recordings in ../shared/golden; skipped without them.
import path from 'node:path'
import { expect, test } from 'vitest'
import { sharedDirectory } from '../repository-root.ts'
import { hasRecordings, playGolden } from './play.ts'

test.skipIf(!hasRecordings)(
  'gives the recorded responses of kube-apiserver',
  async () => {
    const { fails, total } = await playGolden(['--show', '0'])
    expect(total).toBe(2067)
    expect(fails.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
  },
  120_000,
)

test.skipIf(!hasRecordings).each([
  { topic: 'API services', file: 'aggregation', steps: 17 },
  { topic: 'roles and the Node authorizer', file: 'rbac', steps: 251 },
])(
  'gives the recorded responses of kube-apiserver for $topic',
  async ({ file, steps }) => {
    const { fails, total, score } = await playGolden(['--cases', path.join(sharedDirectory, `golden/extend/${file}.jsonl`), '--show', '0'])
    expect(total).toBe(steps)
    expect(fails.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
    const [sameTexts, texts] = score['text']!
    expect(sameTexts).toBe(texts)
  },
  120_000,
)

test.skipIf(!hasRecordings)(
  'gives the recorded responses of kube-apiserver for custom resources',
  async () => {
    const cases = path.join(sharedDirectory, 'golden/extend/crd.jsonl')
    const { fails, total } = await playGolden(['--cases', cases, '--show', '0'])
    expect(total).toBeGreaterThan(400)
    expect(fails.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
  },
  120_000,
)

test.skipIf(!hasRecordings)(
  'responds like kube-apiserver with webhooks, and sends them the same requests',
  async () => {
    const cases = path.join(sharedDirectory, 'golden/extend/webhook.jsonl')
    const { fails, total, score } = await playGolden(['--cases', cases, '--show', '0'])
    expect(total).toBeGreaterThan(90)
    expect(fails.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
    const [sameTexts, texts] = score['text']!
    expect(sameTexts).toBe(texts)
  },
  120_000,
)

test.skipIf(!hasRecordings)(
  'responds like kube-apiserver with validating and mutating policies',
  async () => {
    const cases = path.join(sharedDirectory, 'golden/extend/policy.jsonl')
    const { fails, total, score } = await playGolden(['--cases', cases, '--show', '0'])
    expect(total).toBeGreaterThan(90)
    expect(fails.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
    const [sameTexts, texts] = score['text']!
    expect(sameTexts).toBe(texts)
  },
  120_000,
)
