import { words } from '#words/docs.js';
import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { use, useId, type KeyboardEvent } from 'react';
import { Icon } from '../../parts/Icon.js';
import classes from '../docs.module.css';
import { LANGUAGES, LanguageContext, type Language } from './languages.js';
import { FOCUSABLE } from './Text.js';

/** A code block with a copy button. */
export function Code({ title, code }: { title: string; code: string }) {
  return (
    <div className={classes['code']}>
      <div className={classes['codeHead']}>
        <span className={classes['codeTitle']}>{title}</span>
        <Copy title={title} code={code} />
      </div>
      {/* Not a region: a page with ten pieces of code would have ten landmarks of the same name. */}
      <pre className={`${classes['pre']}`} role="group" aria-label={title} {...FOCUSABLE}>
        {code}
      </pre>
    </div>
  );
}

/** The same code in several languages; the choice applies to the whole page. */
export function CodeIn({ title, code }: { title: string; code: Readonly<Record<Language, string>> }) {
  const { language, choose } = use(LanguageContext);
  const id = useId();

  function onKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const next = LANGUAGES.at((LANGUAGES.indexOf(language) + step) % LANGUAGES.length) ?? language;
    choose(next);
    document.getElementById(`${id}-${next}`)?.focus();
  }

  return (
    <div className={classes['code']}>
      <div className={classes['codeHead']}>
        <div role="tablist" aria-label={title}>
          {LANGUAGES.map((name) => (
            <button
              key={name}
              id={`${id}-${name}`}
              type="button"
              role="tab"
              className={classes['language']}
              aria-selected={name === language}
              aria-controls={`${id}-code`}
              tabIndex={name === language ? 0 : -1}
              onClick={() => choose(name)}
              onKeyDown={onKey}
            >
              {name}
            </button>
          ))}
        </div>
        <Copy title={`${title} (${language})`} code={code[language]} />
      </div>
      <pre
        className={classes['pre']}
        id={`${id}-code`}
        role="tabpanel"
        aria-labelledby={`${id}-${language}`}
        {...FOCUSABLE}
      >
        {code[language]}
      </pre>
    </div>
  );
}

function Copy({ title, code }: { title: string; code: string }) {
  return (
    <CopyButton value={code} timeout={2000}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? words.copied : words.copy} withArrow>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            onClick={copy}
            aria-label={copied ? words.copiedCode(title) : words.copyCode(title)}
          >
            <Icon name={copied ? 'check' : 'copy'} size={17} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}
