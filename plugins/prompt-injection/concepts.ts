/**
 * The concepts used in attacks, in about twenty-five languages: the words of one list have about the same meaning. With them, the model
 * recognises a meaning in a language or wording that is not in its training texts. A Latin word of five letters matches all words that
 * begin with it, a shorter one only itself; a word in another script matches all words that begin with it. Words are spelled as in
 * normalised texts, and each is in one list only.
 */
export const CONCEPTS: Readonly<Record<string, string>> = {
  drop: `ignor forget forge disre overl negle bypas overr disca dismi skip omit abandon drop cancel stop cease quit
    vergiss verge missa oubli negli laiss cessez olvid desca omite deja dejar esque desco pare parar ignori dimen
    trasc smett negeer glom glem glemm slut zapom zigno pomin prest nevsi unut aldir yoksa bosver birak gormez quen
    lupak abaik hirau kalim huwag balew unohd jata игнор проигнор забуд забыт не прекрати перестан отмени пропусти
    ігнор забудь припини αγνο ξεχασ παραβλ σταματ 忽略 无视 無視 忽視 忘记 忘掉 忘記 不要理会 别管 停止 忘れ 無視し やめて 무시 잊어 잊으 그만 중단 تجاهل
    تجاهلي انس انسى توقف تخط نادیده فراموش अनदेखा अनदेखी भूल नज़रअंदाज उपेक्षा উপেক্ষা ভুলে বাদ เพิกเฉย ละเว้น ลืม
    อย่าสนใจ ไม่ต้องสนใจ התעלם תתעלם שכח תשכח הפסק`,
  earlier: `previ prior above earli prece forme initi origi befor past until vorhe vorig obige oben bishe fruhe zuvor
    ursprung anter avant dessus jusqu antes arrib acima anteri prima sopra eerde boven tidig ovans forri tidli over
    poprz wczes powyz predc vyse onceki yukar daha truoc tren sebel terda diata nakar itaas aiemm edell ylla предыд
    прежн выше ранее раньше прошл до поперед вище раніше προηγ παραπαν πριν 之前 以前 上面 以上 先前 前面 此前 上記 前の 先の これまで 이전 앞서
    위의 앞의 지금까지 기존 السابق سابق أعلاه قبل قبلی بالا पिछले पिछली पहले ऊपर पूर्व पूर्ववर्ती পূর্ববর্তী আগের উপরের
    ก่อนหน้า ข้างต้น ด้านบน קודמ הקודמ לעיל שלפני`,
  instruction: `instr direc guide order comma rule rules regel vorga anwei befeh richt consi regle ordre indic regla norma orden
    regra instru istru regol ordin indica opdra aanwi voors anvis polec instrukc zasad wskaz pokyn prika prave talim
    komut kural yonerg huong lenh quy arahan perin atura petun tagub utos panunt ohjee saann maara инструк указан
    команд правил приказ директив распоряж настанов вказів інструк οδηγι εντολ κανον 指令 指示 说明 規則 规则 命令 說明 提示 指引 设定
    設定 ルール 規約 지시 지침 명령 규칙 설명 تعليمات التعليمات أوامر الأوامر قواعد القواعد توجيه التوجيه دستور دستورالعمل निर्देश
    आदेश नियम हिदायत নির্দেশ নিয়ম আদেশ คําสั่ง คําแนะนํา กฎ הוראות ההוראות הנחי כללים הכללים פקוד`,
  prompt: `prompt promp vorgabe invite промпт подсказк запрос 提示词 提示詞 プロンプト 프롬프트 موجه الموجه مطالبة प्रॉम्प्ट প্রম্পট
    พรอมต์ พรอมท์ פרומפט הפרומפט`,
  system: `syste sistem sistema systeem jarjes систем συστημ 系统 系統 システム 시스템 نظام النظام سیستم सिस्टम प्रणाली সিস্টেম ระบบ
    מערכת המערכת`,
  secret: `passw secre passc passp crede token confi hidde priva pin passwort kennw gehei schlu motde mdp cache contr clave
    secreto oculto senha segre chave ocult segreto parol chiav nasco wachtw sleut losen hemli nokke hasl hasel haslo
    tajne tajny ukryt heslo sifre parola gizli anaht khau mat bimat sandi rahas kunci lihim salas salai avain
    tunnussana парол секрет таин ключ скрыт пароль таємн κωδικ μυστικ συνθηματ κρυφ 密码 密碼 秘密 口令 密钥 机密 隐藏 パスワード 暗証
    合言葉 鍵 비밀번호 암호 비밀 패스워드 열쇠 기밀 كلمة السر المرور سري سرية مفتاح سر رمز گذرواژه पासवर्ड गुप्त गोपनीय रहस्य पासकोड
    পাসওয়ার্ড গোপন รหัสผ่าน ความลับ ลับ סיסמ הסיסמ סוד סודי מפתח`,
  reveal: `revea show tell discl displ expos give share leak print expose list zeige zeig verra nenne gib sage offen teile
    montr revel donne dis affic partag muest dime dame decir compa mostr mostre diga conte fale rivel dimmi dammi
    svela toon vertel geef onthu visa beratta avslo vis fortel pokaz powie ujawn podaj zdrad ukaz rekni prozr goster
    soyle acikla paylas ver cho tiet hien noi tunju berit kasih bocor ungka ipaki sabih ibig nayta kerro palja anna
    покаж скажи расскаж раскро назови выдаи сообщи даи поделис покажи розкаж відкри δειξ πες αποκαλυψ δωσ 告诉 告訴 显示
    顯示 透露 展示 泄露 公开 给我 分享 教えて 見せて 表示 明かし 公開 알려 보여 말해 공개 공유 드러 أخبر اخبر أظهر اعرض اكشف أعط اعطني شارك قل بگو نشان
    बताओ बताएं बताइए बता दिखाओ दिखाएं प्रकट साझा খুলে বলুন দেখান বল প্রকাশ শেয়ার บอก แสดง เปิดเผย แชร์ ให้ฉัน ספר
    תגיד הראה תראה גלה חשוף שתף`,
  repeat: `repea echo recit resta quote copy dump verba wiede druck ausga repet repri impri ecris escri repit ripet stamp
    scriv herha schri upprep skriv gjent powto wypis napis opaku vypis tekra yazdi yaz lap lai ulang cetak tulis
    ulitin isulat toist tulos kirjo повтор напечат выведи напиши воспроизв повтори надрук επαναλα γραψ τυπωσ 重复 重複
    打印 输出 輸出 复述 写出 逐字 繰り返 出力 書いて 印刷 반복 출력 써줘 적어 작성 كرر اطبع اكتب أعد दोहरा लिखो लिखें लिखिए प्रिंट পুনরাবৃত্তি লিখুন
    লেখ প্রিন্ট พิมพ์ ทวน พูดซ้ํา เขียน חזור כתוב הדפס`,
  say: `say answe respo reply speak outpu utter write sag antwo schre repon dites ecriv habla rispo parla zeg zeggen
    svara saga svar si odpow mow mowic odpov cevap yanit konus tra jawab kata katak sagot sumag vasta sano puhu
    ответ отвеч говори произнес відпов кажи απαντ μιλ 回答 回复 說 说出 答复 应答 答えて 返答 回答し 言って 대답 답변 응답 말하 أجب اجب رد قول
    تحدث جواب उत्तर जवाब कहो कहें बोलो উত্তর জবাব বলো ตอบ พูด ענה תענה אמור השב`,
  only: `only exact nothing solely simply merely nur genau nicht ledig seule uniqu rien solo solam nada apena soment
    solta exata soltan esatt niente allee enkel preci bara endas kun tylko wylac dokla pouze jen sadece yalni chi
    duy hanya cuma lamang tanging vain ainoa только лишь исключит ровно ничего тільки лише μονο ακριβ 只 仅 只能 仅仅 只有
    のみ だけ 오직 만을 오로지 정확히 فقط لا غير केवल सिर्फ मात्र শুধু কেবল เท่านั้น เพียง רק בלבד`,
  instead: `instead rather statt stattd lieber plutot place lugar vez invece posto plaats stall istal zamia misto yerin thay
    ganti bilih sijaa вместо взамен замість αντι 而是 改为 改為 相反 代わりに 그 대신 بدلا بدل عوضا इसके बजाय পরিবর্তে แทน במקום`,
  now: `now hence onwar today immed jetzt sofor nunme maint desor ahora inmed adela agora imedi diant adess subit ora
    meteen voort nuvar teraz odtad natyc nyni hned ted simdi artik hemen bayda gio sekar mulai ngayo nyt hetis
    теперь сеичас отныне немедл відтепер зараз τωρα αμεσω 现在 現在 从现在 从此 立即 今から 今すぐ これから 이제 지금 지금부터 즉시 الآن حالا فورا
    اکنون अब अभी तुरंत এখন এখনই ตอนนี้ ต่อไปนี้ ทันที עכשיו מעתה כעת`,
  pretend: `prete simul imagi imper rolep assum suppo act emulate persona stell spiel tu fais joue agiss finge actua supon
    aja fing immag comporta doe stel speel lats spela forest late udawa wyobr graj predst hraj davra hayal farz gibi
    canlan gia tuong dong berpu pura bayan anggap magpa kunwa kuvit teesk представ притвор веди сыграи изобраз
    вообраз предполож уяви прикинь φαντασ προσποι υποθεσ 假装 假裝 扮演 想象 想像 假设 模拟 角色 ふりをして 演じ 想像し 仮定 なりきって 척해 척하 연기 상상
    가정 역할 تظاهر تخيل تصرف افترض مثل دور नाटक कल्पना मान लीजिए लो अभिनय भूमिका ভান কল্পনা অভিনয় ধরুন ভূমিকা สมมติ
    แกล้ง แสดงเป็น จินตนาการ העמד דמיין נניח שחק`,
  without: `witho no none never neith nor cannot free unres unfil uncen ohne kein keine nie sans aucun jamai sin ningu nunca
    jamas sem nenhu senza nessu mai zonde geen nooit utan ingen aldri uden bez zadne zadny nigdy zadna olmad olmay
    hic asla khong chang tanpa tidak jangan walan wala ilman без никак никогда нет нельзя ніколи жодн χωρις καθολου
    ποτε 没有 沒有 不受 无 不 毫无 绝不 なし ない なく 決して 없이 없는 없다 절대 안 بدون بلا ليس أبدا دون बिना नहीं कोई कभी ছাড়া কোন না ไม่มี
    ปราศจาก ไม่ ห้าม בלי ללא אין לעולם`,
  limit: `restr limit censo filte boundar const barri block einsc grenz zensu hemmu censu filtr filtro barre beper grens
    begra grans ogran omeze sinir kisit filtre sansu gioi batas sensor fill hangg rajoi rajat огранич запрет фильтр
    цензур границ обмеж заборон περιορι φιλτρ λογοκρ 限制 约束 過濾 过滤 审查 束缚 制限 制約 検閲 フィルター 제한 제약 검열 필터 قيود القيود حدود
    رقابة محدودیت सीमा प्रतिबंध रोक सेंसर সীমা সীমাবদ্ধ বাধা ข้อจํากัด จํากัด הגבל מגבל צנזור סינון`,
  ethics: `ethic moral polic safet legal princ harml appro ethik siche richtl ethiq secur polit etica segur sicur veilig
    ethis sakerh etisk etyk bezpi etick etik ahlak guven dao duc etika keama kaligt eetti turva этич этик морал
    безопас политик нравств етич безпек ηθικ ασφαλ 道德 伦理 倫理 安全 政策 准则 道徳 ポリシー 윤리 도덕 안전 정책 أخلاق الأخلاق سلامة سياسة
    أمان اخلاق नैतिक सुरक्षा नीति নৈতিক নিরাপ নীতি จริยธรรม ความปลอดภัย นโยบาย אתי מוסר בטיחות מדיניות`,
  model: `model ai llm gpt chatg assis chatb bot robot langu claud gemin bard llama assistent ki kunst sprac ia intel
    asist modelo assiste intell sztuc asyst umela yapay tri tue tro kecer katulo tekoa avust ассист помощн модель
    бот ии искусств неиросет чатбот помічн штучн βοηθ μοντελο τεχνητ 助手 模型 人工智能 机器人 助理 アシスタント モデル 人工知能 ロボット 어시스턴트 모델
    인공지능 챗봇 비서 로봇 مساعد المساعد نموذج النموذج ذكاء الذكاء روبوت دستیار सहायक मॉडल एआई बॉट कृत्रिम সহকারী মডেল
    কৃত্রিম ผู้ช่วย โมเดล ปัญญาประดิษฐ์ บอท עוזר מודל בינה בוט`,
  user: `user users custo clien human nutze benut kunde utili usuar utent gebru klant anvan bruke bruger kund uzytk klien
    uzivat kullan nguoi dung pengg gumag kayttaj пользоват юзер клиент користув χρηστ πελατ 用户 用戶 使用者 客户 ユーザー 利用者
    사용자 유저 고객 مستخدم المستخدم کاربر उपयोगकर्ता यूज़र ব্যবহারকারী ผู้ใช้ משתמש המשתמש`,
  authority: `admin devel creat owner root super engin debug sudo boss maste opera entwi besit schop prop desar cread duen
    desen criad dono svilu propr beheer ontwi utvec agare twor wlasc progr vyvoj sprav gelis yonet sahip nha phat
    quan penge pembu pemil tagap kehit yllap разработ админист создат владел отладк розроб власник διαχειρ δημιουργ
    προγραμματ 管理员 管理員 开发者 開發者 开发人员 创建者 主人 管理者 開発者 作者 관리자 개발자 제작자 주인 مطور المطور مسؤول المسؤول مدير المدير مالك
    سازنده डेवलपर व्यवस्थापक प्रशासक मालिक निर्माता ডেভেলপার প্রশাসক নির্মাতা ผู้ดูแล นักพัฒนา ผู้พัฒนา מנהל יוצר`,
  mode: `mode modus modo modal modalita laget tryb rezim mod che tila режим λειτουργ 模式 モード 모드 وضع الوضع حالت मोड মোড
    โหมด מצב`,
  translate: `trans ubers tradu traduc traduz tradur verta overs tlum przet prelo cevir ceviri dich terje isali kaant перевед
    перевод переклад μεταφρ 翻译 翻譯 翻訳 번역 ترجم अनुवाद অনুবাদ แปล תרגם`,
  send: `send forwa email submi uploa post mail notif sende schick weite envoi envoy envia mand reenv invia manda spedi
    stuur verzen skick wysli przes posli gonde ilet gui chuyen kirim terus ipada lahet отправ перешл пошли вышли
    надішл στειλ προωθ 发送 發送 转发 轉發 发到 送信 送って 転送 보내 전송 전달 أرسل ارسل حول بفرست भेज अग्रेषित পাঠা ส่ง שלח העבר`,
  delete: `delet remov erase destr wipe purge losch entfe suppr efface borra elimi apaga exclui cancella rimuo verwi radera
    slett usun skasu smaz sil xoa hapus burah poista удали сотри видали διαγραψ σβησ 删除 刪除 清除 削除 消して 삭제 지워 احذف امسح
    حذف हटा मिटा মুছে ลบ מחק`,
  grant: `grant acces permi unloc allow autho enabl activ zugan erlau gewah freig erlaub autor permet accor conce desbl
    libera consen sbloc toega toest atkom tillg tilgan dostep pozwo zezwo odblo prist povol erisim izin yetki quyen
    truy cap akses buka payag salla paasy доступ разреш разблок права активир дозвол προσβασ επιτρεψ αδεια 权限 權限 访问
    授权 允许 解锁 激活 批准 アクセス 許可 権限 承認 접근 권한 허용 허가 승인 접속 وصول الوصول إذن صلاحية اسمح تصريح دسترسی पहुँच पहुंच अनुमति
    अधिकार প্রবেশ অনুমতি เข้าถึง อนุญาต สิทธิ์ גישה הרשאה אפשר`,
  money: `money payme accou bank credi purch walle venmo dolla geld konto zahlu uberw argen compt payer diner cuent pago
    conta pagam soldi conto rekeni betaal pengar pieni platn penize ucet para hesap odeme tien tai khoan uang
    rekening bayar pera bayad raha tili деньг счет платеж карт гроші рахунок χρηματ λογαριασμ πληρωμ 账户 账号 帳戶 钱 付款
    转账 银行 口座 支払 アカウント お金 계좌 계정 결제 돈 송금 مال حساب الحساب دفع पैसे खाता भुगतान টাকা অ্যাকাউন্ট เงิน บัญชี ชําระ כסף
    חשבון תשלום`,
  all: `all every any entir whole compl everything anything alle alles jede samtl gesam tous toute tout chaqu todo todas
    todos cualq tudo qualq tutto tutti tutte ogni ieder alla allt hele alt wszys kazde vsech vse kazd tum her butun
    tat moi semua selur lahat bawat kaikk jokai все всех весь каждыи любои всі усі кожн ολα ολες καθε 所有 一切 全部 任何 每个
    すべて 全て あらゆる 모든 전부 모두 다 كل جميع أي همه सभी सब हर भी সব সমস্ত প্রতিটি ทั้งหมด ทุก כל הכל`,
  must: `must shoul requi oblig neces alway shall need mandatory musst muss sollt immer notig dois devez doit toujo debes
    tiene siemp deve precis sempr devi dovre sempre moet altij allti skal musisz nalez zawsze musis vzdy zorun gerek
    phai luon harus wajib selalu dapat palag taytyy pitaa aina должен должн обязан всегда надо нужно повинен завжди
    πρεπει παντα 必须 必須 应该 总是 一定 务必 必要 しなければ 必ず 常に 반드시 항상 해야 꼭 يجب دائما عليك باید चाहिए हमेशा अवश्य ज़रूर অবশ্যই
    সবসময় ต้อง เสมอ חייב תמיד צריך`,
  your: `your yours dein deine deinen deiner deinem ihre ihrer ihren votre vos ton tes sus tus vuest suas teu sua tuo tua
    tuoi vostr jouw je din ditt dina deres twoj twoja twoje twoich tvoje vase senin sizin cua anmu kamu iyong ninyo
    sinun твои твоя твое твоих твоего свои своих ваш твіи твоі ваші σου σας 你的 您的 あなたの 君の 너의 당신의 네 귀하의 شما خود
    तुम्हारे तुम्हारा तुम्हारी आपके आपका आपकी अपने अपनी আপনার তোমার ของคุณ שלך שלכם`,
  you: `you du ihr sie vous toi usted ustedes voce voces lei voi jij jullie dig deg vam sen siz ban kau anda ikaw kayo
    sina ты вы тебя тебе вас вам ти ви тобі εσυ εσεις 你 您 你们 あなた 君は 너는 당신 당신은 네가 أنت انت तुम आप तू তুমি আপনি คุณ אתה
    את אתם`,
  me: `me my mine us our mir mich mein meine meinen mon mes yo mi mis meu minha eu mio mia mij mijn mig min mitt meg
    mnie moj moja mne muj bana benim ben saya aku akin ako minul minun мне меня мои моя я мені мене міи μου εμενα 我
    我的 私 私に 僕 나 나에게 내 저에게 제 لي أنا عندي من मुझे मेरा मेरे मैं আমাকে আমার আমি ฉัน ผม לי שלי אני`,
  please: `pleas kindl bitte por favor merci veuil porfav prego grazie alsjeb graag snalla prosz prosim lutfe xin vui tolon
    silak mangy paki ole hyva пожалуист прошу ласка παρακαλ 请 請 麻烦 ください お願い 해주세요 주세요 부탁 فضلك رجاء لطفا कृपया দয়া
    অনুগ্রহ กรุณา โปรด בבקשה אנא`,
  urgent: `urgen impor atten criti warni alert notic emerg dring wicht achtu warnu avert atenc aviso avvis belan vikti
    viktig wazne uwaga pilne dulez pozor onemli dikka acil trong khan pentin perha mende mahal pansi tarkea huomi
    важно вниман срочно предупр увага терміново σημαντικ προσοχ επειγ 重要 注意 紧急 警告 緊急 긴급 중요 주의 경고 مهم هام انتباه عاجل
    تحذير توجه महत्वपूर्ण ध्यान तत्काल चेतावनी গুরুত্বপূর্ণ মনোযোগ জরুরি สําคัญ ด่วน คําเตือน חשוב דחוף שימו אזהרה`,
  task: `task quest reque job assig goal objec aufga frage anfra auftr tache deman tarea pregu pedid taref pergu compi
    doman richi taak vraag verzo uppgi fraga oppga zadan pytan prosb ukol otazk gorev soru istek nhiem cau hoi tugas
    perta gawai tanon tehta kysym задан задач вопрос просьб завдан питан εργασι ερωτησ αιτημ 任务 任務 问题 請求 请求 目标 タスク
    課題 質問 依頼 작업 과제 질문 요청 임무 مهمة المهمة سؤال طلب وظیفه कार्य प्रश्न सवाल अनुरोध কাজ প্রশ্ন অনুরোধ งาน คําถาม คําขอ
    משימה שאלה בקשה`,
  text: `text messa word words sente conve chat parag docum phras line nachr wort worte satz gespr inhal texte mots texto
    mensa palab frase mensag palav testo teksta beric woord zin tekst medde ord mening samta wiado slowo slowa zdani
    rozmo zprav slovo veta metin mesaj kelim cumle sohbe van tin nhan teks pesan percak teksto mensah salita teksti
    viest sana lause текст сообщен слово слова предложен разговор фраз повідом речен κειμεν μηνυμ λεξ φρασ 文本 消息 文字
    对话 對話 句子 单词 内容 テキスト メッセージ 言葉 文章 会話 単語 텍스트 메시지 단어 문장 대화 내용 글 نص النص رسالة محادثة جملة متن पाठ संदेश शब्द वाक्य
    बातचीत টেক্সট বার্তা শব্দ বাক্য কথোপকথন ข้อความ คํา ประโยค บทสนทนา טקסט הודעה מילה משפט שיחה`,
  begin: `begin start first open anfan erste comme debut premi empez inici prime comec inizi eerste borja forst zaczn
    pocza pierw zacni prvni basla ilk bat dau awal una aloit ensim начн начал перв сначал почни перш αρχι πρωτ 开始 開始
    开头 第一 首先 始め 最初 はじめ 시작 처음 첫 ابدأ بداية أول शुरू पहला पहली আরম্ভ শুরু প্রথম เริ่ม แรก התחל ראשון`,
  encode: `encod decod base rot ciphe encry crypt morse hex ascii binar leetspeak obfus rever kodie versc chiff codif codig
    cifra koder versl kryp szyfr zakod kodla hoa enkri kode шифр кодир закодир зашифр κωδικοπ κρυπτογρ 编码 編碼 解码 加密
    密文 暗号 エンコード デコード 인코딩 디코딩 암호화 شفر ترميز تشفير कोड एन्कोड এনকোড เข้ารหัส ถอดรหัส קודד הצפן`,
  fiction: `stori ficti hypot game novel scene play tale dream poem song scena gesch fikti histo jeu juego ficci poema jogo
    hipot ficca gioco ipote spel verha hikay oyun kurgu gra fikcj hra pribe choi ceri perma fiksi kwent laro tarin
    peli истори сказк игр роман вымышл гипотет стих гра казк ιστορι παιχνιδ υποθετικ 故事 虚构 小说 游戏 遊戲 诗 物語 小説 ゲーム 仮説 詩
    이야기 소설 게임 가상 시나리오 قصة خيال لعبة رواية قصيدة कहानी काल्पनिक खेल कविता গল্প কাল্পনিক খেলা কবিতা นิทาน เรื่อง เกม
    บทกวี סיפור משחק שיר`,
  harm: `hack illeg bomb weapo malwa phish steal virus explo kill drug attac crime poiso bombe waffe stehl drog pirat
    arme voler bomba arma robar ilega hacke droga rubar wapen bom stelen vapen niele bron kradz zbran silah yasad
    khi senja curi sandata взлом незакон бомб оружи украст наркот вирус зброя вкраст παρανομ βομβ οπλ 黑客 非法 炸弹 武器 病毒
    毒品 ハッキング 違法 爆弾 해킹 불법 폭탄 무기 اختراق قانوني قنبلة سلاح हैक अवैध बम हथियार হ্যাক অবৈধ বোমা แฮก ผิดกฎหมาย ระเบิด
    อาวุธ פרוץ לא חוקי פצצה נשק`,
  refuse: `refus rejec deny decli apolo sorry unabl warn weige lehne entsc rechaz neg discul recus desculp rifiu scusa
    weiger vagra nekte odmow przep odmit redde ozur menol maaf tangg kielt отказ извин отклон відмов αρνη συγγνωμ 拒绝
    拒絕 抱歉 道歉 拒否 謝ら 断ら 거부 거절 사과 죄송 رفض ترفض اعتذر मना इनकार माफी অস্বীকার ปฏิเสธ ขอโทษ סרב תסרב`,
  tool: `tool funct api plugi brows execu script termi werkz funkt ausfu outil fonct herra funci ejecu ferra funca strum
    funzi esegu uitvo kor narze wykon nastr spust arac calis cong chay alat jalan fungsi kasan tyoka suori
    инструмент функци выполни запусти исполн виконаи запуст εργαλει εκτελεσ 工具 函数 执行 執行 运行 ツール 関数 実行 도구 함수 실행 أداة
    نفذ تنفيذ टूल निष्पादित চালা টুল เครื่องมือ รัน הפעל כלי`,
};
