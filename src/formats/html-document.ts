// The frame that every HTML page has: head, bar, main part; and the sign-in page. Knows no objects.
import { escapeHtml } from './escape.ts';
import type { Page, PageLink, Section } from './format.ts';
import { STYLE } from './html-style.ts';

const SIGN =
  '<svg width="18" height="18" viewBox="0 0 18 18" aria-hidden="true"><path d="M9 17s6-5.2 6-9.6A6 6 0 0 0 3 7.4C3 11.8 9 17 9 17z" fill="#1f6ad0"/><circle cx="9" cy="7.3" r="2.3" fill="#fff"/></svg>';

/** With the page, so that a browser asks for nothing else. */
const ICON = `data:image/svg+xml,${encodeURIComponent(SIGN.replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" '))}`;

/** What is around the main part. */
type Frame = Pick<Page, 'title' | 'crumbs' | 'formats' | 'sections'>;

/** `main` is HTML, all else is text. */
export function writeDocument({ title, crumbs, formats, sections }: Frame, main: string): string {
  const trail = crumbs.map((crumb, i) => `<li>${writeLink(crumb, i === crumbs.length - 1 ? ' aria-current="page"' : '')}</li>`).join('');
  return (
    '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">' +
    `<title>${escapeHtml(title)} - Waypost</title>` +
    '<meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<link rel="icon" href="${ICON}">` +
    `<style>${STYLE}</style></head><body>\n<header><span class="brand">${SIGN}Waypost</span>` +
    (trail === '' ? '' : `<nav aria-label="Path"><ol class="crumbs">${trail}</ol></nav>`) +
    (formats.length === 0
      ? ''
      : `<nav class="formats" aria-label="Formats">${formats.map((format) => writeLink(format, '')).join('')}</nav>`) +
    sections
      .map((links) => (links.length === 0 ? '' : `<nav class="sections" aria-label="Sections">${links.map(writeSection).join('')}</nav>`))
      .join('') +
    `</header>\n<main>${main}</main>\n</body></html>\n`
  );
}

const writeSection = (section: Section): string => writeLink(section, section.current ? ' aria-current="true"' : '');

function writeLink({ name, href }: PageLink, more: string): string {
  return isSafeLink(href) ? `<a href="${escapeHtml(href)}"${more}>${escapeHtml(name)}</a>` : escapeHtml(name);
}

/**
 * Relative, or http(s): nothing that a browser would run, and no other host by way of `//`. Blanks and controls are refused as well,
 * because browsers drop some of them before they look for the scheme (URL Standard, section 4.4).
 */
export function isSafeLink(href: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the control characters are what it looks for
  if (href === '' || /[\u0000-\u0020\u007f\\]/.test(href)) return false;
  return /^https?:\/\//i.test(href) || (!href.startsWith('//') && !/^[^/?#]*:/.test(href));
}

/** What a browser gets that has not signed in. `action` is a link; `message` says why an attempt failed. */
export function signInPage(action: string, message: string | null): string {
  const form =
    `<form class="sign-in" method="post" action="${escapeHtml(action)}"><h1>Sign in</h1>` +
    (message === null ? '' : `<p class="message" role="alert">${escapeHtml(message)}</p>`) +
    '<label>User name<input name="username" autocomplete="username" autocapitalize="none" spellcheck="false" required autofocus></label>' +
    '<label>Password<input name="password" type="password" autocomplete="current-password" required></label>' +
    '<button>Sign in</button></form>';
  return writeDocument({ title: 'Sign in', crumbs: [], formats: [], sections: [] }, form);
}
