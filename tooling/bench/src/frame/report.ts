import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describeMachine } from '../measured-on.ts'
import type { MeasuredOn } from '../measured-on.ts'
import type { Rounds } from './item.ts'
import type { ItemResult } from './run-item.ts'

export interface Report extends MeasuredOn {
  /** Name that `git describe` gives the measured revision. */
  readonly revision: string
  /** Duration of one measurement in seconds. */
  readonly seconds: number
  readonly rounds: Rounds
  /** Names of requested items that are not measured yet or must be measured again. */
  readonly left: readonly string[]
  readonly items: readonly ItemResult[]
}

/** A report that is saved after each item, so that no result is lost. */
export class ReportFile {
  readonly file: string
  #report: Report

  constructor(file: string, report: Report) {
    this.file = file
    this.#report = report
  }

  static create(directory: string, options: Pick<Report, 'revision' | 'seconds' | 'rounds' | 'left'>): ReportFile {
    const report = { ...describeMachine(), ...options, items: [] }
    return new ReportFile(path.join(directory, `${report.time.replaceAll(':', '-')}.json`), report)
  }

  /** Opens the newest report that has items left to measure. Returns undefined if there is none. */
  static unfinished(directory: string): ReportFile | undefined {
    const names = readdirSync(directory, { withFileTypes: true }).flatMap((entry) => (entry.isFile() ? entry.name : []))
    for (const name of names
      .filter((file) => /^\d.*\.json$/.test(file))
      .toSorted()
      .toReversed()) {
      const report: Partial<Report> = readReport(path.join(directory, name))
      // Reports of older versions do not have the field `left`.
      if (report.left !== undefined && report.left.length > 0) return new ReportFile(path.join(directory, name), report as Report)
    }
    return undefined
  }

  get report(): Report {
    return this.#report
  }

  findResult(name: string): ItemResult | undefined {
    return this.#report.items.find((item) => item.name === name)
  }

  /**
   * Adds the result of an item and saves the report. An undefined result means that the item cannot be measured on this machine. With
   * `again`, the item stays in `left`, because it is measured again after all others.
   */
  add(name: string, result: ItemResult | undefined, again = false): void {
    const { items, left } = this.#report
    const otherNames = left.filter((other) => other !== name)
    const at = items.findIndex((item) => item.name === name)
    this.#report = {
      ...this.#report,
      left: again ? [...otherNames, name] : otherNames,
      items: result === undefined ? items : at === -1 ? [...items, result] : items.with(at, result),
    }
    writeReport(this.file, this.#report)
  }
}

export function readReport(file: string): Report {
  return JSON.parse(readFileSync(file, 'utf8')) as Report
}

export function writeReport(file: string, report: Report): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, `${JSON.stringify(report, roundNumber, 1)}\n`)
}

/** Rounds a number in the JSON to five digits. The measurements are less precise than that. */
function roundNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(5)) : value
}
