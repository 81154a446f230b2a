import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ScenarioResult } from '../scenarios/scenario.ts'

export interface FinishedPart extends ScenarioResult {
  readonly seconds: number
  readonly seed: number
}

/** A directory with the results of finished parts. A later run continues with the remaining parts. */
export class FinishedParts<Result = FinishedPart> {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
    mkdirSync(directory, { recursive: true })
  }

  get(id: string): Result | undefined {
    try {
      return JSON.parse(readFileSync(this.#file(id), 'utf8')) as Result
    } catch {
      return undefined
    }
  }

  set(id: string, result: Result): void {
    writeFileSync(this.#file(id), JSON.stringify(result))
  }

  clear(): void {
    rmSync(this.#directory, { recursive: true, force: true })
    mkdirSync(this.#directory, { recursive: true })
  }

  #file(id: string): string {
    return join(this.#directory, `${id}.json`)
  }
}
