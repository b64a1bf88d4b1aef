import type { Page } from 'playwright-core';

// Scripts for the browser are texts, because tests have no types of the DOM.

/** Returns whether the page is wider than the window. */
export function hasScrollbar(page: Page): Promise<boolean> {
  return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/** Returns the names of all elements of the page, each once. */
export function elementNames(page: Page): Promise<string[]> {
  return page.evaluate(
    '[...new Set(Array.from(document.querySelectorAll("*"), (element) => element.localName))]',
  );
}

/** Returns the names of all attributes of the page, each once. */
export function attributeNames(page: Page): Promise<string[]> {
  return page.evaluate(
    '[...new Set(Array.from(document.querySelectorAll("*")).flatMap((element) => element.getAttributeNames()))]',
  );
}

/** Returns visible texts whose contrast to their ground is below 4.5. */
export function poorContrast(page: Page): Promise<string[]> {
  return page.evaluate(POOR_CONTRAST);
}

/** @see https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
const POOR_CONTRAST = `(() => {
  const parse = (color) => (color.match(/[\\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r = 0, g = 0, b = 0] = parse(color).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const groundOf = (element) => {
    if (element === null) return 'rgb(255, 255, 255)';
    const color = getComputedStyle(element).backgroundColor;
    return parse(color)[3] === 0 ? groundOf(element.parentElement) : color;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const poor = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    if (element === null || node.textContent?.trim() === '' || element.getClientRects().length === 0)
      continue;
    const [one, two] = [luminance(getComputedStyle(element).color), luminance(groundOf(element))];
    const contrast = (Math.max(one, two) + 0.05) / (Math.min(one, two) + 0.05);
    if (contrast < 4.5) poor.push(node.textContent + ' ' + contrast.toFixed(2));
  }
  return poor;
})()`;
