import type { JsonValue } from '@keelson/apimachinery'
import type { Case, Step } from '../cases/case.ts'
import { isObject } from '../cases/locations.ts'
import { findFirstDifference } from '../judge/first-difference.ts'
import type { Difference } from '../judge/first-difference.ts'
import { Normalizer } from '../judge/normalize.ts'
import type { NormalizerOptions } from '../judge/normalize.ts'
import { cleanUp, findCreatedPath } from './clean-up.ts'
import type { Answer, Server } from './server.ts'

export interface Pair {
  readonly reference: Server
  readonly candidate: Server
  /** Namespace of this run on both servers. */
  readonly namespace: string
}

export interface FoundDifference extends Difference {
  readonly step: Step
  readonly stepIndex: number
}

export interface Played {
  /** The first difference, if there is one. Steps after it were not played. */
  readonly difference: FoundDifference | undefined
  /** Responses of kube-apiserver to the played steps. */
  readonly answers: readonly Answer[]
  /** The played steps, as they were sent to kube-apiserver. */
  readonly sent: readonly Step[]
}

/** Plays a case on both servers, step by step, and removes its objects from both. */
export async function playCase(pair: Pair, { steps }: Pick<Case, 'steps'>, options?: NormalizerOptions): Promise<Played> {
  const sides = [pair.reference, pair.candidate].map((server) => ({
    server,
    saved: { ns: pair.namespace } as Record<string, string>,
    normalizer: new Normalizer(options),
    made: new Set<string>(),
  }))
  const answers: Answer[] = []
  const sent: Step[] = []
  try {
    for (const [stepIndex, step] of steps.entries()) {
      const [want, got] = await Promise.all(
        sides.map(async ({ server, saved, normalizer, made }) => {
          const filled = fillStep(step, saved)
          const answer = await server.send(filled)
          const path = findCreatedPath(filled, answer)
          if (path !== undefined) made.add(path)
          for (const [name, at] of Object.entries(step.save ?? {})) saved[name] = readValue(answer.body, at)
          return { filled, answer, normal: normalizer.answer(answer, filled) }
        }),
      )
      answers.push(want!.answer)
      sent.push(want!.filled)
      const difference = findFirstDifference(want!.normal, got!.normal)
      if (difference !== undefined && !(await isPossibleAnswer(sides[0]!, want!, got!.normal)))
        return { difference: { ...difference, step, stepIndex }, answers, sent }
    }
    return { difference: undefined, answers, sent }
  } finally {
    await Promise.all(sides.map(({ server, made }) => cleanUp(server, made)))
  }
}

interface Side {
  readonly server: Server
  readonly normalizer: Normalizer
}

interface PlayedStep {
  readonly filled: Step
  readonly answer: Answer
  readonly normal: Answer
}

/** Number of times that a failed request is sent again. */
const repetitions = 20

/**
 * Returns whether a server also gives another answer to a request that fails. kube-apiserver visits the members of custom objects in the random
 * order of Go maps, and some errors end the visit. Failed requests change nothing, so they can be repeated.
 */
async function isPossibleAnswer({ server, normalizer }: Side, { filled, normal }: PlayedStep, wanted: Answer): Promise<boolean> {
  if (normal.code < 400 || normal.code !== wanted.code) return false
  for (let repetition = 0; repetition < repetitions; repetition++) {
    const again = normalizer.answer(await server.send(filled), filled)
    if (findFirstDifference(again, wanted) === undefined) return true
  }
  return false
}

function fillStep(step: Step, saved: Readonly<Record<string, string>>): Step {
  const fill = (text: string, written: (value: string) => string): string =>
    text.replaceAll(/\$\{(\w+)\}/g, (match, name: string) => (name in saved ? written(saved[name]!) : match))
  return {
    ...step,
    path: fill(step.path, encodeURIComponent),
    ...(step.body !== undefined && {
      body: JSON.parse(fill(JSON.stringify(step.body), (value) => JSON.stringify(value).slice(1, -1))) as JsonValue,
    }),
  }
}

function readValue(body: JsonValue, at: string): string {
  const memberValue = at.split('.').reduce<JsonValue | undefined>((value, name) => (isObject(value) ? value[name] : undefined), body)
  return typeof memberValue === 'string' || typeof memberValue === 'number' ? String(memberValue) : ''
}
