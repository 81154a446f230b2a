import { parse, View } from 'vega'
import type { Spec } from 'vega'

/** Renders a Vega plot to SVG. */
export function drawPlot(spec: Spec): Promise<string> {
  return new View(parse({ background: 'white', padding: 8, ...spec }), { renderer: 'none' }).toSVG()
}

const met = '#3b7dd8'
const missed = '#d8703b'
const wanted = '#222222'

export interface ShareRow {
  readonly title: string
  readonly share: number
  /** Minimum share that the item's bar requires. */
  readonly least?: number | undefined
}

/** Plots the result of each item as a share of the bare server's result. A line across a bar marks the required share. */
export function createSharePlot(rows: readonly ShareRow[]): Spec {
  const values = rows.map(({ title, share, least }) => ({
    title,
    share: Math.min(share, 1.5),
    label: `${Math.round(share * 100)} %`,
    least: least ?? null,
    colour: least !== undefined && share < least ? missed : met,
  }))
  return {
    width: 520,
    height: { signal: `${rows.length} * 22` },
    title: { text: 'Share of what a bare server reaches in the same run', anchor: 'start' },
    data: [
      { name: 'rows', values },
      { name: 'wanted', source: 'rows', transform: [{ type: 'filter', expr: 'datum.least !== null' }] },
    ],
    scales: [
      { name: 'x', type: 'linear', domain: [0, 1.5], range: 'width' },
      { name: 'y', type: 'band', domain: { data: 'rows', field: 'title' }, range: 'height', padding: 0.25 },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', format: '.0%', grid: true, tickCount: 6 },
      { orient: 'left', scale: 'y', domain: false, ticks: false, labelLimit: 420 },
    ],
    marks: [
      {
        type: 'rect',
        from: { data: 'rows' },
        encode: {
          enter: {
            x: { scale: 'x', value: 0 },
            x2: { scale: 'x', field: 'share' },
            y: { scale: 'y', field: 'title' },
            height: { scale: 'y', band: 1 },
            fill: { field: 'colour' },
          },
        },
      },
      {
        type: 'text',
        from: { data: 'rows' },
        encode: {
          enter: {
            x: { scale: 'x', field: 'share', offset: 4 },
            y: { scale: 'y', field: 'title', band: 0.5 },
            baseline: { value: 'middle' },
            fontSize: { value: 10 },
            text: { field: 'label' },
          },
        },
      },
      {
        type: 'rule',
        from: { data: 'wanted' },
        encode: {
          enter: {
            x: { scale: 'x', field: 'least' },
            y: { scale: 'y', field: 'title' },
            y2: { scale: 'y', field: 'title', band: 1 },
            stroke: { value: wanted },
            strokeWidth: { value: 2 },
          },
        },
      },
    ],
  }
}

export interface GrowthPoint {
  readonly what: string
  readonly objects: number
  /** Duration of the operation, divided by its duration with the fewest objects. */
  readonly times: number
}

/** Plots the duration of each operation over the number of objects, one line per operation. */
export function createGrowthPlot(points: readonly GrowthPoint[]): Spec {
  return {
    width: 520,
    height: 260,
    title: { text: 'Time of one operation, as a multiple of its time with the fewest objects', anchor: 'start' },
    data: [{ name: 'points', values: [...points] }],
    scales: [
      { name: 'x', type: 'log', domain: { data: 'points', field: 'objects' }, range: 'width' },
      { name: 'y', type: 'linear', domain: { data: 'points', field: 'times' }, range: 'height', zero: true, nice: true },
      { name: 'colour', type: 'ordinal', domain: { data: 'points', field: 'what' }, range: 'category' },
    ],
    axes: [
      { orient: 'bottom', scale: 'x', format: ',', title: 'objects', values: [...new Set(points.map(({ objects }) => objects))] },
      { orient: 'left', scale: 'y', grid: true },
    ],
    legends: [{ stroke: 'colour', symbolType: 'stroke' }],
    marks: [
      {
        type: 'group',
        from: { facet: { name: 'lines', data: 'points', groupby: 'what' } },
        marks: [
          {
            type: 'line',
            from: { data: 'lines' },
            encode: {
              enter: {
                x: { scale: 'x', field: 'objects' },
                y: { scale: 'y', field: 'times' },
                stroke: { scale: 'colour', field: 'what' },
                strokeWidth: { value: 2 },
              },
            },
          },
        ],
      },
    ],
  }
}
