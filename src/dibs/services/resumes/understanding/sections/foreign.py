"""What sections are called in languages that are not handled: told apart from what stands under them, and no more."""

# Italian, Portuguese, Dutch, Polish, Swedish, Danish, Norwegian, Finnish, Czech, Romanian, Hungarian, Turkish,
# Russian, Ukrainian, Greek, Japanese, Chinese, Korean, Arabic, Hebrew
FOREIGN = {
    "contact": """contatti|dati personali|informazioni personali|contatto|contato|contatos|contacto|dados pessoais|
        informações pessoais|contactgegevens|persoonlijke gegevens|persoonsgegevens|dane kontaktowe|dane osobowe|
        kontakt|personuppgifter|kontaktuppgifter|kontaktinformation|personlige oplysninger|personalia|yhteystiedot|
        henkilötiedot|kontaktní údaje|osobní údaje|date personale|date de contact|személyes adatok|elérhetőség|
        iletişim|iletişim bilgileri|kişisel bilgiler|контакты|контактная информация|личные данные|контакти|
        στοιχεία επικοινωνίας|προσωπικά στοιχεία|連絡先|個人情報|联系方式|个人信息|聯絡方式|基本信息|연락처|인적사항|
        معلومات الاتصال|البيانات الشخصية|פרטי קשר|פרטים אישיים""",
    "summary": """profilo|profilo professionale|chi sono|riepilogo|resumo|resumo profissional|perfil profissional|sobre mim|
        profiel|over mij|samenvatting|persoonlijk profiel|podsumowanie|profil zawodowy|o mnie|sammanfattning|om mig|
        resumé|om meg|profiili|tiivistelmä|shrnutí|o mně|profesní profil|rezumat|despre mine|összefoglaló|bemutatkozás|
        özet|hakkımda|profesyonel özet|о себе|обо мне|краткая информация|про себе|περίληψη|προφίλ|
        自己紹介|自己PR|職務要約|概要|自我评价|个人简介|自我評價|자기소개|소개|نبذة شخصية|الملخص|תקציר|אודות""",
    "work": """esperienza|esperienze|esperienza lavorativa|esperienze lavorative|esperienza professionale|
        esperienze professionali|experiência|experiências|experiência profissional|experiências profissionais|
        experiência de trabalho|histórico profissional|werkervaring|ervaring|loopbaan|arbeidsverleden|
        doświadczenie|doświadczenie zawodowe|przebieg kariery|arbetslivserfarenhet|erfarenhet|arbetserfarenhet|
        yrkeserfarenhet|anställningar|erhvervserfaring|arbejdserfaring|arbeidserfaring|yrkeserfaring|erfaring|
        työkokemus|työhistoria|pracovní zkušenosti|zkušenosti|praxe|praxe a zkušenosti|experiență|
        experiență profesională|experienţă|szakmai tapasztalat|munkatapasztalat|iş deneyimi|deneyim|iş tecrübesi|
        опыт|опыт работы|профессиональный опыт|трудовая деятельность|досвід|досвід роботи|εργασιακή εμπειρία|
        επαγγελματική εμπειρία|職歴|職務経歴|経歴|工作经历|工作经验|职业经历|工作經歷|实习经历|경력|경력사항|경력 사항|
        الخبرة|الخبرات|الخبرة العملية|الخبرات العملية|ניסיון תעסוקתי|ניסיון מקצועי|ניסיון""",
    "education": """istruzione|istruzione e formazione|formazione|titoli di studio|educação|formação|formação académica|
        formação acadêmica|habilitações|habilitações académicas|escolaridade|opleiding|opleidingen|onderwijs|
        wykształcenie|edukacja|utbildning|utbildningar|uddannelse|utdanning|utdannelse|koulutus|vzdělání|studium|
        educație|studii|educaţie|tanulmányok|végzettség|oktatás|eğitim|eğitim bilgileri|öğrenim|образование|
        учёба|освіта|εκπαίδευση|σπουδές|学歴|学歴・職歴|教育背景|教育经历|學歷|学历|教育|학력|학력사항|학력 사항|
        التعليم|المؤهلات العلمية|المؤهلات|השכלה|לימודים""",
    "skills": """competenze|competenze tecniche|competenze professionali|capacità|abilità|conoscenze|capacità e competenze|
        competências|competências técnicas|habilidades técnicas|conhecimentos|vaardigheden|competenties|kennis|
        umiejętności|kompetencje|umiejętności techniczne|färdigheter|kompetenser|kunskaper|färdigheter och kompetenser|
        kompetencer|færdigheder|kompetanse|ferdigheter|nøkkelkompetanse|taidot|osaaminen|dovednosti|schopnosti|
        znalosti a dovednosti|competențe|abilități|aptitudini|készségek|ismeretek|beceriler|yetenekler|yetkinlikler|
        навыки|ключевые навыки|профессиональные навыки|умения|навички|δεξιότητες|γνώσεις|スキル|技術スキル|得意分野|
        技能|专业技能|個人技能|技术栈|기술|기술 스택|보유 기술|스킬|المهارات|مهارات|כישורים|מיומנויות""",
    "languages": """lingue|lingue straniere|conoscenze linguistiche|línguas|conhecimentos linguísticos|talen|talenkennis|
        języki|języki obce|znajomość języków|språk|språkkunskaper|sprog|språkkunnskaper|kielitaito|kielet|jazyky|
        jazykové znalosti|limbi străine|limbi|nyelvtudás|nyelvismeret|yabancı dil|diller|yabancı diller|языки|
        знание языков|иностранные языки|мови|γλώσσες|ξένες γλώσσες|言語|語学|语言|语言能力|語言能力|언어|외국어|어학|
        اللغات|שפות""",
    "certificates": """certificazioni|certificati|corsi|corsi e certificazioni|certificações|certificados|cursos|
        certificaten|cursussen|certyfikaty|kursy|kursy i certyfikaty|szkolenia|certifikat|certifieringar|kurser|
        certifikater|sertifikater|todistukset|sertifikaatit|certifikáty|kurzy|certificări|tanúsítványok|sertifikalar|
        сертификаты|курсы|повышение квалификации|сертифікати|πιστοποιήσεις|資格|免許・資格|证书|資格證書|자격증|
        الشهادات|תעודות|הסמכות""",
    "projects": """progetti|projetos|projecten|projekty|projekt|projekter|prosjekter|projektit|proiecte|projektek|
        projeler|проекты|проєкти|έργα|プロジェクト|项目经历|项目经验|項目經驗|프로젝트|المشاريع|פרויקטים""",
    "interests": """interessi|hobby e interessi|interesses|passatempos|interesses pessoais|interesses e hobbies|hobby's|
        zainteresowania|hobby|intressen|fritidsintressen|interesser|fritidsinteresser|harrastukset|
        kiinnostuksen kohteet|zájmy|koníčky|zájmy a koníčky|interese|hobbiuri|érdeklődési kör|hobbi|ilgi alanları|
        hobiler|интересы|увлечения|хобби|інтереси|ενδιαφέροντα|趣味|趣味・特技|兴趣爱好|興趣|취미|الاهتمامات|
        الهوايات|תחומי עניין|תחביבים""",
    "references": """referenze|referências|referenties|referencje|referenser|referencer|referanser|suosittelijat|
        reference|referinţe|referințe|referenciák|referanslar|рекомендации|рекомендації|συστάσεις|推荐人|추천인|
        المراجع|ממליצים""",
}  # fmt: skip
