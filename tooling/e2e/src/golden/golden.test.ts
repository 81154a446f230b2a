// Needs the recordings in ../shared/golden; skipped without them.
import path from 'node:path'
import { expect, test } from 'vitest'
import { sharedDirectory } from '../repository-root.ts'
import { hasRecordings, playGolden } from './play.ts'

/** Cases to skip: groups that Keelson does not serve yet. */
const without = 'apiregistration.k8s.io'

/** Cases that are expected to differ, each with the missing feature. `docs/compatibility.md` lists the steps that differ. */
const waiting: Readonly<Record<string, string>> = {
  'scenario/authz': 'RBAC',
  'scenario/bootstrap': 'RBAC',
  'scenario/discovery': 'API services',
  'create/hand/SubjectAccessReview/x/106': 'RBAC',
  'create/hand/SubjectAccessReview/x/107': 'RBAC',
}

/** Returns whether a case needs a missing feature. A case with a deliberate error needs the same feature as the valid case. */
function isWaiting(id: string): boolean {
  return waiting[id.replace(/^broken\//, 'create/').replace(/\/[^/]+:[^/]+$/, '')] !== undefined
}

test.skipIf(!hasRecordings)(
  'gives the recorded responses of kube-apiserver',
  async () => {
    const { fails, total } = await playGolden(['--without', without, '--show', '0'])
    expect(total).toBeGreaterThan(1900)
    const wrong = fails.filter(({ id }) => !isWaiting(id))
    expect(wrong.map(({ id, step, want, got, diff }) => `${id} ${step}: want ${want} got ${got} ${diff ?? ''}`)).toEqual([])
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
