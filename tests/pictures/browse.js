// SPDX-License-Identifier: GPL-2.0-only
// Opens pictures in Chromium and says what is wrong with them: tests/pictures/run.
'use strict';
const fs = require('fs');
const path = require('path');
const { chromium } = require('playwright-core');

const SIZES = { wide: { width: 1200, height: 900 }, phone: { width: 390, height: 844 } };
const [shots, ...files] = process.argv.slice(2);
let failed = 0, passed = 0;

function verdict(name, wrong) {
  console.log(wrong.length ? `FAIL pictures: ${name}\n      ${wrong.join('\n      ')}` : `PASS pictures: ${name}`);
  if (wrong.length) failed++; else passed++;
}

// In the page: texts of the diagram that overlap each other, or that leave it; texts without contrast; a page that is too wide.
function look() {
  const wrong = [], svg = document.querySelector('svg.pic');
  const light = c => {
    const [r, g, b] = c.match(/[\d.]+/g).map(v => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05);
  if (svg) {
    const all = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll('text')].map(t => ({ t: t.textContent, b: t.getBoundingClientRect() }));
    for (const { t, b } of boxes)
      if (b.left < all.left - 1 || b.right > all.right + 1 || b.bottom > all.bottom + 1) wrong.push(`cut off: ${t}`);
    for (let i = 0; i < boxes.length; i++)
      for (let k = i + 1; k < boxes.length; k++) {
        const a = boxes[i].b, b = boxes[k].b;
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3)
          wrong.push(`overlap: "${boxes[i].t}" and "${boxes[k].t}"`);
      }
    const back = getComputedStyle(svg.querySelector('.back')).fill;
    for (const t of svg.querySelectorAll('text')) {
      const ratio = contrast(getComputedStyle(t).fill, back);
      if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(1)}: ${t.textContent}`);
    }
  }
  if (!document.body) return wrong;
  // each text of the page on what is behind it
  const behind = e => {
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (!/^rgba\(.*, 0\)$/.test(c)) return c;
    }
    return 'rgb(255, 255, 255)';
  };
  for (const e of document.querySelectorAll('main *, header *, footer *')) {
    if (e.closest('svg') || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    const ratio = contrast(getComputedStyle(e).color, behind(e)), b = e.getBoundingClientRect();
    if (ratio < 4.5) wrong.push(`contrast ${ratio.toFixed(1)}: ${e.textContent.slice(0, 60)}`);
    if (b.width && b.right > innerWidth + 1 && !e.closest('.scroll')) wrong.push(`off the screen: ${e.textContent.slice(0, 60)}`);
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push('the page is wider than the screen');
  return wrong;
}

// By keyboard alone: the diagram zooms, the table filters, what is folded opens.
async function useReport(page, wrong) {
  const width = () => page.evaluate(() => document.querySelector('#view svg').getBoundingClientRect().width);
  const shown = () => page.evaluate(() => [...document.querySelectorAll('#packets tbody tr')].filter(r => !r.hidden).length);
  if (await page.$('#view')) {
    await page.focus('#view');
    const before = await width();
    await page.keyboard.press('+');
    const larger = await width();
    await page.keyboard.press('0');
    if (!(larger > before * 1.2)) wrong.push(`+ does not zoom: ${before} to ${larger}`);
    if (!(await page.evaluate(() => { const v = document.getElementById('view'); return v.scrollWidth <= v.clientWidth + 1; })))
      wrong.push('0 does not fit the width');
    const rows = await shown();
    await page.focus('#words');
    await page.keyboard.type('no such words');
    if (await shown() !== 0) wrong.push('the filter shows rows without its words');
    await page.keyboard.press('Control+A');
    await page.keyboard.press('Delete');
    if (await shown() !== rows) wrong.push('rows stay hidden');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Space');
    const trouble = await page.evaluate(() => document.querySelectorAll('#packets tbody tr.bad, #packets tbody tr.again').length);
    if (await shown() !== trouble) wrong.push(`only trouble: ${await shown()} rows, not ${trouble}`);
    await page.keyboard.press('Space');
  }
  for (const summary of await page.$$('details:not([open]) > summary')) {
    await summary.focus();
    await page.keyboard.press('Enter');
    if (!(await summary.evaluate(s => s.parentElement.open))) wrong.push(`does not open: ${await summary.textContent()}`);
  }
  // what was folded is looked at, too
  wrong.push(...(await page.evaluate(look)).filter(w => !wrong.includes(w)));
}

async function open(browser, file, size, colorScheme) {
  const page = await browser.newPage({ viewport: SIZES[size], colorScheme });
  const wrong = [];
  page.on('console', m => wrong.push(`console: ${m.text()}`));
  page.on('pageerror', e => wrong.push(`error: ${e}`));
  page.on('request', r => { if (!/^(file|data):/.test(r.url())) wrong.push(`request: ${r.url()}`); });
  await page.goto('file://' + path.resolve(file));
  wrong.push(...await page.evaluate(look));
  if (shots) await page.screenshot({ path: path.join(shots, `${path.basename(file)}-${size}-${colorScheme}.png`),
    fullPage: file.endsWith('.html') }); // Chromium has no full page of an SVG
  if (file.endsWith('.html')) await useReport(page, wrong);
  await page.close();
  verdict(`${path.basename(file)}-${size}-${colorScheme}`, wrong);
}

async function drawMermaid(browser, file) {
  const page = await browser.newPage({ viewport: SIZES.wide });
  const text = fs.readFileSync(file, 'utf8'), wrong = [];
  page.on('console', m => wrong.push(`console: ${m.text()}`));
  await page.setContent('<div id="to"></div>');
  await page.addScriptTag({ path: require.resolve('mermaid/dist/mermaid.min.js') });
  const drawn = await page.evaluate(async t => {
    mermaid.initialize({ startOnLoad: false });
    try {
      const kind = (await mermaid.parse(t)).diagramType;
      document.getElementById('to').innerHTML = (await mermaid.render('picture', t)).svg;
      return { kind, arrows: document.querySelectorAll('.messageText').length };
    } catch (e) {
      return { error: String(e) };
    }
  }, text);
  const arrows = (text.match(/^ +[AB](->>|-->>|-x)[AB]:/gm) || []).length;
  if (drawn.error) wrong.push(drawn.error);
  else if (drawn.kind !== 'sequence' || drawn.arrows !== arrows) wrong.push(`${JSON.stringify(drawn)}, not ${arrows} arrows`);
  if (shots) await page.screenshot({ path: path.join(shots, `${path.basename(file)}.png`), fullPage: true });
  await page.close();
  verdict(path.basename(file), wrong);
}

(async () => {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
      '--disable-component-update', '--disable-sync'] });
  for (const file of files) {
    if (file.endsWith('.mmd')) { await drawMermaid(browser, file); continue; }
    for (const size of Object.keys(SIZES))
      for (const scheme of ['light', 'dark'])
        if (file.endsWith('.html') || size === 'wide') await open(browser, file, size, scheme);
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
})();
